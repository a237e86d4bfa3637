/**
 * CPU of the pipeline for a create and an update of a 5 KiB Deployment with owners of fields and without, by turns in one process, in
 * microseconds: of the rounds the faster third. What is stored is divided as the database wants it; the store is in memory, and there is no
 * HTTP.
 *
 *   npx tsx --conditions=source libs/writing/bench/ownership.ts [rounds]
 */
import { deployment } from '@orch/machinery/testing';
import { FieldManager } from '@orch/merge';
import { ownersApart } from '@orch/resources';
import { MemoryStore, testApi } from '@orch/testing';

const ROUNDS = Number(process.argv[2] ?? 40);
const OBJECTS = 64;
/** Writes that are under way at a time. */
const AT_ONCE = 16;
const VERBS = ['create', 'update'] as const;
type Verb = (typeof VERBS)[number];

const drawn = FieldManager.prototype.update;
const draw = (owned: boolean): void => {
  FieldManager.prototype.update = owned ? drawn : (_live, next) => next;
};

const api = await testApi({}, 'kubernetes', new MemoryStore());
api.store.beforeWrite = async (op) => void ownersApart.split(op.body);
let number = 0;

async function write(verb: Verb, name: string): Promise<void> {
  const object = JSON.parse(JSON.stringify(deployment(name, number++)));
  const request = api.request(verb === 'create' ? 'CREATE' : 'UPDATE', 'deployments', name, { changeKind: 'replace' });
  await api.deps.pipeline.write(request, verb === 'create' ? { create: () => object } : { change: () => object });
}

async function round(verb: Verb, owned: boolean): Promise<number> {
  draw(owned);
  const before = process.cpuUsage();
  for (let first = 0; first < OBJECTS; first += AT_ONCE) {
    const names = Array.from({ length: AT_ONCE }, (_, i) =>
      verb === 'create' ? `c-${number + i}` : `${owned}-${first + i}`,
    );
    await Promise.all(names.map((name) => write(verb, name)));
  }
  const { user, system } = process.cpuUsage(before);
  api.store.writes.length = 0;
  return (user + system) / OBJECTS;
}

for (const owned of [true, false]) {
  draw(owned);
  for (let i = 0; i < OBJECTS; i++) await write('create', `${owned}-${i}`);
}
const costs = new Map<string, number[]>();
// The first rounds are for the compiler.
for (let i = -5; i < ROUNDS; i++) {
  for (const verb of VERBS) {
    for (const owned of i % 2 ? [true, false] : [false, true]) {
      const cost = await round(verb, owned);
      if (i >= 0) costs.set(`${verb} ${owned}`, [...(costs.get(`${verb} ${owned}`) ?? []), cost]);
    }
  }
}
for (const verb of VERBS) {
  const [owned = 0, bare = 0] = [true, false].map((one) => {
    const all = (costs.get(`${verb} ${one}`) ?? []).sort((a, b) => a - b);
    return all[Math.floor(all.length / 3)];
  });
  console.log(
    `${verb}  ${owned.toFixed(0)} µs, without owners ${bare.toFixed(0)} µs, owners ${(owned - bare).toFixed(0)} µs`,
  );
}
api.close();
process.exit(0);
