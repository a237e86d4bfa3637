/**
 * CPU of the steps of one PUT of a Deployment, each on its own in a loop, in microseconds; of five rounds the best.
 *
 *   npx tsx --conditions=source libs/writing/bench/steps.ts
 *
 * In a loop everything lies in the caches: within a server the same steps take twice as long and more, see `write.ts`.
 */
import { parseJson } from '@orch/codec';
import { copy } from '@orch/machinery';
import { deployment } from '@orch/machinery/testing';
import { fromStored, toStoredBody } from '@orch/resources';
import { atOnce } from '@orch/schema';
import { testApi } from '@orch/testing';
import { measure, OBJECTS } from '../../resources/bench/measure.js';
import { sameBody } from '../src/pipeline/same-body.js';

const TIMES = 2_000;

const api = await testApi({}, 'kubernetes');
const endpoint = api.endpoint('deployments');
const { model, storageModel, storageRules } = endpoint;
const numbers = Array.from({ length: OBJECTS }, (_, index) => index);
const bodies = numbers.map((index) => Buffer.from(JSON.stringify(deployment(`d${index}`, index))));
for (const body of bodies) await api.create('deployments', JSON.parse(body.toString()));
const rows = api.store.rows(endpoint.type);
const olds = rows.map((row) => fromStored(row, endpoint));
/** As an object is after its defaults, with another change than the one that is there. */
const wanted = numbers.map((index) => copy(olds[(index + 1) % OBJECTS] ?? {}));
const texts = wanted.map((object) => toStoredBody(object, endpoint));
const context = { subresource: '', user: { name: 'bench', groups: [], extra: {} }, now: Date.now() };
const one = <T>(of: readonly T[], index: number): T => of[index] as T;

measure('JSON.parse alone', TIMES, (index) => JSON.parse(one(bodies, index).toString()));
measure('parse and check the JSON that was sent', TIMES, (index) => parseJson(one(bodies, index)));
const values = bodies.map((body) => parseJson(body).value);
measure('check what was sent by its schema', TIMES, (index) => atOnce(model.read(copy(one(values, index)))));
measure('read the stored object', TIMES, (index) => fromStored(one(rows, index), endpoint));
measure('align zero values with the stored object', TIMES, (index) =>
  storageModel.alignZeros(one(wanted, index), one(olds, index)),
);
measure('status and generation', TIMES, (index) =>
  storageRules.prepareForUpdate(one(wanted, index), one(olds, index), context),
);
measure('validate by the rules of the kind', TIMES, (index) => [
  ...storageRules.validateUpdate(one(wanted, index), one(olds, index)),
]);
measure('write the text', TIMES, (index) => toStoredBody(one(wanted, index), endpoint));
measure('compare with the stored object', TIMES, (index) => sameBody(one(rows, index).body, one(texts, index)));
api.close();
