/**
 * CPU of the longest step, and of all steps together, of writes of lists and maps of very many values, in milliseconds. Of some rounds
 * the best, as what the machine collects or compiles meanwhile is no part of a step; with `ROUNDS=1` what a process takes that has
 * compiled nothing yet. Some systems count CPU time by 4 ms.
 *
 *   npx tsc -b && node --expose-gc --import tsx libs/merge/bench/steps.ts [part of a name]
 */
import { type JsonObject, type JsonValue, namesOf } from '@orch/machinery';
import { bothTypes, customType, FieldManager } from '@orch/merge';
import { loadScheme } from '@orch/schema';

const ROUNDS = Number(process.env.ROUNDS ?? 7);
const ITEMS = 15_000;
const now = new Date('2026-01-02T03:04:05Z');
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const port = {
  type: 'object',
  properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: { type: 'string' } },
};
const byKeys = (items: JsonObject, ...keys: string[]): JsonObject => ({
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
  items,
});
const spec: JsonObject = {
  type: 'object',
  properties: {
    ports: byKeys(port as JsonObject, 'port', 'protocol'),
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    groups: byKeys(
      {
        type: 'object',
        properties: { name: { type: 'string' }, ports: byKeys(port as JsonObject, 'port', 'protocol') },
      },
      'name',
    ),
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
};
const objectMeta = loadScheme(namesOf('kubernetes')).struct('meta/v1.ObjectMeta');
const types = bothTypes(customType({ type: 'object', properties: { spec } }, objectMeta));
const manager = new FieldManager(
  { apiVersion: 'example.com/v1', kind: 'Thing', typesOf: () => types },
  (object) => object,
);

const thing = (made: JsonObject): JsonObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name: 'x', namespace: 'd', uid: '1' },
  spec: made,
});
const fresh = (object: JsonObject): JsonObject => JSON.parse(JSON.stringify(object)) as JsonObject;
const ports = (from: number, count: number, name = 'a'): JsonValue[] =>
  many(count, (i) => ({ port: from + i, protocol: 'TCP', name: `${name}${i}` }));

/** What stands in the list, or map, before and after. */
const SHAPES: Record<string, readonly [JsonObject, JsonObject]> = {
  'ports: other names': [{ ports: ports(1, ITEMS) }, { ports: ports(1, ITEMS, 'b') }],
  'ports: disjoint': [{ ports: ports(1, ITEMS) }, { ports: ports(100_000, ITEMS) }],
  'ports: backwards': [{ ports: ports(1, ITEMS) }, { ports: ports(1, ITEMS).reverse() }],
  'ports: given up': [{ ports: ports(1, ITEMS) }, { ports: ports(1, ITEMS / 2) }],
  'set: disjoint': [{ set: many(20_000, (i) => `a${i}`) }, { set: many(20_000, (i) => `b${i}`) }],
  'groups of ports': [
    { groups: many(30, (i) => ({ name: `g${i}`, ports: ports(1, 500) })) },
    { groups: many(30, (i) => ({ name: `g${i}`, ports: ports(250, 500, 'b') })) },
  ],
  'labels: disjoint': [
    { labels: Object.fromEntries(many(20_000, (i) => [`a${i}`, '1'])) },
    { labels: Object.fromEntries(many(20_000, (i) => [`b${i}`, '1'])) },
  ],
};
const applier = { manager: 'applier', now, force: true };
type Write = (live: JsonObject, next: JsonObject, pause: () => undefined) => Promise<JsonObject>;
const WRITES: Record<string, Write> = {
  create: (_, next, pause) => manager.updateAsync(undefined, next, applier, pause),
  update: (live, next, pause) => manager.updateAsync(live, next, applier, pause),
  'first apply': (_, next, pause) => manager.applyAsync(undefined, next, applier, pause),
  'apply over an update': (live, next, pause) =>
    manager.applyAsync(live, next, { ...applier, manager: 'other' }, pause),
  'apply again': (live, next, pause) => manager.applyAsync(live, next, applier, pause),
};

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

interface Measured {
  readonly longest: number;
  readonly all: number;
  readonly steps: number;
}

/** The round with the shortest longest step, and the least that all steps took. */
async function measure(write: Write, live: JsonObject, next: JsonObject): Promise<Measured> {
  let best: Measured = { longest: Number.POSITIVE_INFINITY, all: Number.POSITIVE_INFINITY, steps: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const one = await measureOnce(write, fresh(live), fresh(next));
    best = { longest: Math.min(best.longest, one.longest), all: Math.min(best.all, one.all), steps: one.steps };
  }
  return best;
}

async function measureOnce(write: Write, live: JsonObject, next: JsonObject): Promise<Measured> {
  (globalThis as { gc?: () => void }).gc?.();
  const begun = cpuMs();
  let [longest, steps, last] = [0, 0, begun];
  const mark = (): undefined => {
    const now = cpuMs();
    steps++;
    longest = Math.max(longest, now - last);
    last = now;
  };
  await write(live, next, mark);
  mark();
  return { longest, all: last - begun, steps };
}

console.log(`${''.padEnd(44)} longest   all  steps`);
for (const [shape, [from, to]] of Object.entries(SHAPES)) {
  const kinds: Record<string, JsonObject> = {
    update: manager.update(undefined, thing(from), { manager: 'somebody', now }),
    apply: manager.apply(undefined, thing(from), applier),
  };
  for (const [name, write] of Object.entries(WRITES)) {
    const title = `${shape}, ${name}`;
    if (process.argv[2] && !title.includes(process.argv[2])) continue;
    const live = kinds[name.startsWith('apply again') ? 'apply' : 'update'] as JsonObject;
    const { longest, all, steps } = await measure(write, live, thing(to));
    console.log(`${title.padEnd(44)} ${longest.toFixed(0).padStart(7)} ${all.toFixed(0).padStart(5)}  ${steps}`);
  }
}
