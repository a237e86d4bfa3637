import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { fuzzRoundTrips, ordinaryKinds } from './fuzz.js';
import { expectOrder, hostileRequests } from './hostile.js';
import { collectionOf } from './round-trip.js';

/** `FUZZ_OBJECTS=100000 FUZZ_SEED=7 npx vitest run --config test/vitest.config.ts test/fuzz` for more than that of every change. */
const OBJECTS = Number(process.env.FUZZ_OBJECTS ?? 1_000);
const SEED = Number(process.env.FUZZ_SEED ?? 20_260_101);
const TIMEOUT_MS = 60_000 + OBJECTS * 60;
/** Objects and requests come and go: memory must not grow with their number. */
const MAX_RESIDENT_BYTES = 1 << 30;

let server: Standalone;
let api: Api;

beforeAll(async () => {
  server = await startStandalone();
  api = new Api(server);
  console.log(`seed ${SEED}, ${OBJECTS} objects`);
});

afterAll(async () => {
  api?.close();
  await server?.stop();
});

test(
  'objects of every kind are the same in JSON, protobuf and YAML, and writing them back changes nothing',
  async () => {
    const { accepted, refused } = await fuzzRoundTrips(api, { seed: SEED, objects: OBJECTS });
    const total = [...accepted.values()].reduce((a, b) => a + b, 0);
    console.log(`${total} objects of ${accepted.size} kinds were taken, ${refused} refused`);
    expect(total).toBeGreaterThan(OBJECTS / 2);
    expect(accepted.size).toBeGreaterThan(40);
  },
  TIMEOUT_MS,
);

describe('requests that nobody should send', () => {
  const CHOSEN = ['configmaps', 'pods', 'deployments', 'services', 'customresourcedefinitions'];
  const kinds = ordinaryKinds().filter(({ resource, version }) => CHOSEN.includes(resource) && version === 'v1');

  test.each(kinds)(
    'are answered in order: $resource',
    async (definition) => {
      await api.post(collectionOf(definition), { metadata: { name: 'target' } });
      const property = fc.asyncProperty(hostileRequests(definition, 'target'), (request) => expectOrder(api, request));
      await fc.assert(property, { seed: SEED, numRuns: Math.ceil(OBJECTS / kinds.length) });
      expect((await api.get('/readyz')).status).toBe(200);
    },
    TIMEOUT_MS,
  );

  test('leave memory bounded', () => {
    const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1];
    expect(Number(kib) * 1024).toBeLessThan(MAX_RESIDENT_BYTES);
  });
});
