/**
 * CPU of the steps of one PUT of a custom resource, each on its own in a loop, in microseconds; of five rounds the best.
 *
 *   npx tsx --conditions=source libs/resources/bench/custom.ts
 *
 * The kinds are those of `make bench BENCH=--only=custom`. In a loop everything lies in the caches, see `steps.ts`.
 */
import { parseJson } from '@orch/codec';
import { type ApiObject, copy, type JsonObject } from '@orch/machinery';
import { atOnce } from '@orch/schema';
import { serveCustom, testApi } from '@orch/testing';
import { type Definition, ruledKind, ruledObject, simpleKind, simpleObject } from '../../../test/load/custom-kinds.js';
import { fromStored, toStoredBody } from '../src/stored/stored-body.js';
import { measure, OBJECTS } from './measure.js';

const TIMES = 1_000;

async function measureKind(definition: Definition, objectOf: (name: string, change: string) => object): Promise<void> {
  const api = await testApi({}, 'kubernetes');
  const { names } = definition.spec;
  const [endpoint] = await serveCustom(api, {
    ...definition,
    status: { acceptedNames: names },
  } as unknown as JsonObject);
  if (!endpoint) throw new Error('it is not served');
  const { model, storageRules: rules } = endpoint;
  const numbers = Array.from({ length: OBJECTS }, (_, index) => index);
  const bodies = numbers.map((index) => Buffer.from(JSON.stringify(objectOf(`o${index}`, String(index)))));
  for (const body of bodies) {
    const object = JSON.parse(body.toString()) as ApiObject;
    const request = { ...api.request('CREATE', 'configmaps', object.metadata?.name ?? ''), endpoint };
    await api.deps.pipeline.write(request, { create: () => object });
  }
  const rows = api.store.rows(endpoint.type);
  const olds = rows.map((row) => fromStored(row, endpoint));
  const wanted = numbers.map((index) => ({
    ...copy(olds[(index + 1) % OBJECTS] as ApiObject),
    metadata: copy(olds[index]?.metadata ?? {}),
  }));
  const one = <T>(of: readonly T[], index: number): T => of[index] as T;
  const context = { subresource: '', user: { name: 'bench', groups: [], extra: {} }, now: Date.now() };
  const manager = endpoint.fieldManagers('');
  const written = { manager: 'bench', now: new Date() };
  const json = (object: ApiObject) => object as JsonObject;
  console.log(`${names.kind}, ${bodies[0]?.length} bytes`);
  measure('JSON.parse alone', TIMES, (index) => JSON.parse(one(bodies, index).toString()));
  measure('what was sent: strict JSON', TIMES, (index) => parseJson(one(bodies, index)));
  const values = bodies.map((body) => parseJson(body).value);
  measure('what was sent: a copy, to subtract below', TIMES, (index) => copy(one(values, index)));
  measure('what was sent: copied, by its schema', TIMES, (index) => atOnce(model.read(copy(one(values, index)))));
  measure('what is there', TIMES, (index) => fromStored(one(rows, index), endpoint));
  measure('defaults', TIMES, (index) => atOnce(model.fillDefaults(one(wanted, index))));
  measure('status and generation', TIMES, (index) =>
    rules.prepareForUpdate(one(wanted, index), one(olds, index), context),
  );
  measure('owners', TIMES, (index) => manager.update(json(one(olds, index)), json(one(wanted, index)), written));
  measure('the rules of a creation', TIMES, (index) => [...rules.validateCreate(one(wanted, index), [])]);
  measure('the rules of an update', TIMES, (index) => [
    ...rules.validateUpdate(one(wanted, index), one(olds, index), '', []),
  ]);
  measure('the text', TIMES, (index) => toStoredBody(one(wanted, index), endpoint));
  api.close();
}

await measureKind(simpleKind(), simpleObject);
await measureKind(ruledKind(), ruledObject);
