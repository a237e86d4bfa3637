/**
 * CPU of the pipeline itself for one write of a small ConfigMap, in microseconds: of the rounds the faster third. Twenty plugins are asked
 * whether they have anything to say, of which one has; the store is in memory, and there is no HTTP.
 *
 *   npx tsx --conditions=source libs/writing/bench/pipeline.ts [rounds]
 *
 * Two states of the tree are compared by turns: this is a process each time.
 */
import type { AdmissionPlugin } from '@orch/admission';
import type { ApiObject } from '@orch/machinery';
import { MemoryStore, testApi } from '@orch/testing';
import { markDeletion } from '../src/own/deletion.js';

const ROUNDS = Number(process.argv[2] ?? 30);
const OBJECTS = 512;
/** Writes that are under way at a time. */
const AT_ONCE = 16;
const VERBS = ['create', 'update', 'upsert', 'together', 'delete'] as const;
type Verb = (typeof VERBS)[number];

const plugins: readonly AdmissionPlugin[] = Array.from({ length: 20 }, (_, index) => ({
  name: `plugin-${index}`,
  readsOnly: true,
  handles: ({ operation, group, resource }) =>
    operation !== 'DELETE' && group === '' && resource === (index === 0 ? 'configmaps' : 'pods'),
  validate: () => undefined,
}));
const api = await testApi({}, 'kubernetes', new MemoryStore(), {}, plugins);
const endpoint = api.endpoint('configmaps');
let number = 0;

const made = (name: string): ApiObject => ({ metadata: { name }, data: { number: String(number++) } }) as ApiObject;
const changed = (current: ApiObject): ApiObject => ({ ...current, data: { number: String(number++) } }) as ApiObject;

function write(verb: Verb, name: string) {
  const { pipeline } = api.deps;
  switch (verb) {
    case 'create':
      return pipeline.write(api.request('CREATE', 'configmaps', name), { create: () => made(name) });
    case 'update':
      return pipeline.write(api.request('UPDATE', 'configmaps', name), { change: changed });
    case 'upsert':
      return pipeline.write(api.request('UPDATE', 'configmaps', name), { change: changed, create: () => made(name) });
    case 'together':
      return pipeline.write(api.request('UPDATE', 'configmaps', 'shared'), { change: changed });
    case 'delete':
      return pipeline.write(api.request('DELETE', 'configmaps', name), {
        change: (current) => markDeletion(endpoint, current, { dryRun: false }, 0),
      });
  }
}

async function round(verb: Verb): Promise<number> {
  const before = process.cpuUsage();
  for (let first = 0; first < OBJECTS; first += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => write(verb, `c-${first + index}`)));
  }
  const { user, system } = process.cpuUsage(before);
  api.store.writes.length = 0;
  return (user + system) / OBJECTS;
}

await write('create', 'shared');
const costs = new Map<Verb, number[]>(VERBS.map((verb) => [verb, []]));
// The first rounds are for the compiler.
for (let index = -5; index < ROUNDS; index++) {
  for (const verb of VERBS) {
    const cost = await round(verb);
    if (index >= 0) costs.get(verb)?.push(cost);
  }
}
for (const [verb, all] of costs) {
  const faster = [...all].sort((a, b) => a - b)[Math.floor(all.length / 3)] ?? 0;
  console.log(`${verb.padEnd(9)} ${faster.toFixed(1).padStart(6)} µs`);
}
api.close();
process.exit(0);
