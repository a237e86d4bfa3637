import type { JsonObject, StatusError } from '@orch/machinery';
import { expect, test } from 'vitest';
import { managerOfVector } from '../testing/managed-kinds.js';
import { thing, thingManager } from '../testing/things.js';
import { ApplyError } from './index.js';
import { writtenSet } from './paths/fields-v1.js';

const now = new Date('2023-01-01T00:00:00Z');
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const configMaps = managerOfVector({ apiVersion: 'v1', kind: 'ConfigMap', zeros: true });
const deployments = managerOfVector({ apiVersion: 'apps/v1', kind: 'Deployment', zeros: true });

const configMap = (data: JsonObject, managedFields?: JsonObject[]): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', uid: 'u', ...(managedFields && { managedFields }) },
  data,
});
const withContainer = (container: JsonObject, managedFields?: JsonObject[]): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', uid: 'u', ...(managedFields && { managedFields }) },
  spec: { template: { spec: { containers: [container] } } },
});
const entry = (manager: string, operation: string, fieldsV1: JsonObject, apiVersion = 'v1'): JsonObject => ({
  manager,
  operation,
  apiVersion,
  fieldsType: 'FieldsV1',
  fieldsV1,
});
/** The fields of a ConfigMap's data, by number. */
const fields = (from: number, to: number): JsonObject => ({
  'f:data': Object.fromEntries(many(to - from, (i) => [`f:k${from + i}`, {}])),
});
const keys = (count: number, value: string) => Object.fromEntries(many(count, (i) => [`k${i}`, value]));

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('it was not refused');
}

/** A name as long as a body may be, which stands in the path of all that is below it. */
const LONG = 'x'.repeat(1_000_000);

test('what does not fit below a long key is told so far as a text may be long', () => {
  const unknown = Object.fromEntries(many(20_000, (i) => [`u${i}`, 1]));
  const error = thrownBy(() =>
    deployments.apply(undefined, withContainer({ name: LONG, ...unknown }), { manager: 'm', now }),
  );
  expect(error).toBeInstanceOf(ApplyError);
  expect((error as Error).message.length).toBeLessThan(4_000_000);
});

test('what stands twice below a long key is told so far as a text may be long', () => {
  const env = many(20_000, () => ({ name: 'twice' }));
  const error = thrownBy(() => deployments.apply(undefined, withContainer({ name: LONG, env }), { manager: 'm', now }));
  expect(error).toBeInstanceOf(ApplyError);
  expect((error as Error).message.length).toBeLessThan(4_000_000);
});

test('conflicts below a long key are told so far as a text may be long', () => {
  const env = many(10_000, (i) => ({ name: `e${i}`, value: '1' }));
  const owned = Object.fromEntries(env.map(({ name }) => [`k:${JSON.stringify({ name })}`, {}]));
  const containers = { [`k:${JSON.stringify({ name: LONG })}`]: { 'f:env': owned } };
  const fieldsV1 = { 'f:spec': { 'f:template': { 'f:spec': { 'f:containers': containers } } } };
  const live = withContainer({ name: 'c' }, [entry('o', 'Update', fieldsV1, 'apps/v1')]);
  const error = thrownBy(() => deployments.apply(live, withContainer({ name: LONG, env }), { manager: 'm', now }));
  expect((error as StatusError).status.reason).toBe('Conflict');
  expect(JSON.stringify((error as StatusError).status).length).toBeLessThan(8_000_000);
});

/** What grows with the square of what is sent takes tens of seconds of each of these. */
const BOUND_MS = 8_000;

/** CPU counts: what else the machine does would make anything take long. */
function expectBounded(run: () => unknown): void {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(BOUND_MS);
}

test('thousands of updaters are joined in time that grows with their number', () => {
  const entries = many(20_000, (i) => entry(`m${i}`, 'Update', fields(i, i + 1)));
  expectBounded(() => configMaps.update(configMap({ x: '1' }), configMap({ x: '2' }, entries), { manager: 'z', now }));
});

test('thousands of changes are looked for among thousands of owners in time that grows with their sum', () => {
  const entries = many(15_000, (i) => entry(`m${i}`, 'Apply', fields(i, i + 1)));
  const live = configMap(keys(40_000, '1'), entries);
  expectBounded(() => configMaps.update(live, configMap(keys(40_000, '2')), { manager: 'z', now }));
  expectBounded(() => configMaps.apply(live, configMap(keys(40_000, '2')), { manager: 'z', now, force: true }));
  const error = thrownBy(() => configMaps.apply(live, configMap(keys(40_000, '2')), { manager: 'z', now }));
  expect((error as Error).message).toMatch(/^Apply failed with 15000 conflicts: .*\nand 14000 more$/s);
});

test('what an applier of thousands of fields gives up is looked for among thousands in the same way', () => {
  const entries = many(15_000, (i) => entry(`m${i}`, 'Apply', fields(i, i + 1)));
  const live = configMap(keys(40_000, '1'), [entry('z', 'Apply', fields(0, 40_000)), ...entries]);
  expectBounded(() => configMaps.apply(live, configMap({}), { manager: 'z', now }));
});

test('a large object is worked on in steps, between which others have turns; with the same result', async () => {
  const said = configMap(keys(5_000, '2'));
  const live = configMap(keys(10_000, '1'), [
    entry('z', 'Apply', fields(0, 10_000)),
    entry('y', 'Update', fields(0, 9)),
  ]);
  for (const run of ['apply', 'update'] as const) {
    let turns = 0;
    const pause = () => Promise.resolve().then(() => void turns++);
    const options = { manager: 'z', now, force: true };
    const made = await configMaps[`${run}Async`](live, said, options, pause);
    expect(made).toEqual(configMaps[run](live, said, options));
    expect(turns).toBeGreaterThan(run === 'apply' ? 12 : 3);
  }
});

const labelled = (labels: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', uid: 'u', labels },
});
const namesFrom = (from: number, count: number) =>
  Object.fromEntries(many(count, (i) => [`l${String(from + i).padStart(5, '0')}`, 'x']));

/** Who owns what of an object, without times. */
const ownersOf = (object: JsonObject): string[] =>
  ((object.metadata as JsonObject).managedFields as JsonObject[]).map(
    ({ manager, fieldsV1 }) => `${manager} ${JSON.stringify(fieldsV1)}`,
  );

test.each([4, 600, 20_000])(
  'of %i labels that give way to as many others, the labels themselves stay whose they were',
  (count) => {
    const before = configMaps.update(undefined, labelled(namesFrom(0, count)), { manager: 'm', now });
    const after = configMaps.update(before, { ...before, ...labelled(namesFrom(count, count)) }, { manager: 'u', now });
    const own = Object.fromEntries(Object.keys(namesFrom(count, count)).map((name) => [`f:${name}`, {}]));
    expect(ownersOf(after)).toEqual([
      'm {"f:metadata":{"f:labels":{}}}',
      `u ${JSON.stringify({ 'f:metadata': { 'f:labels': own } })}`,
    ]);
  },
);

/** Looks at two keys of each item of a list, and as many again, where it is merely asked whether items are those of the last time. */
const ASKED = 4 * 20_000 + 10_000;

test('a list of very many items is divided: a write looks at few of them between two turns', async () => {
  const things = thingManager();
  const parts = (from: number, note: string) =>
    many(20_000, (i) => ({ port: from + i, protocol: 'TCP', note, tags: ['a'] }));
  const live = things.apply(undefined, thing({ parts: parts(1, 'x') }), options);
  const owners = (live.metadata as JsonObject).managedFields as JsonObject[];
  for (const next of [parts(1, 'y'), parts(10_000, 'x'), parts(100_000, 'x'), parts(1, 'x').reverse()]) {
    for (const write of ['update', 'apply'] as const) {
      const longest = await longestRun((counted, pause) => {
        const of = (items: JsonObject[]) => thing({ parts: items.map(counted) });
        const before = of(parts(1, 'x'));
        (before.metadata as JsonObject).managedFields = owners;
        return things[`${write}Async`](before, of(next), { ...options, manager: 'z' }, pause);
      });
      expect(longest).toBeGreaterThan(0);
      expect(longest).toBeLessThan(ASKED);
    }
  }
});

test('a value that takes another form is entered as a value, with nothing below it', () => {
  const things = thingManager();
  const before = things.update(undefined, thing({ free: { a: { x: 1 }, b: 1 } }), { manager: 'm', now });
  const next = { ...thing({ free: { a: 'a text', b: 1 } }), metadata: before.metadata as JsonObject };
  const after = things.update(before, next, { manager: 'u', now });
  expect(ownersOf(after)).toEqual([
    'm {"f:spec":{".":{},"f:free":{".":{},"f:b":{}}}}',
    'u {"f:spec":{"f:free":{"f:a":{}}}}',
  ]);
});

test('a set of very many paths is read in steps, also when somebody has asked whether it is empty', () => {
  const set = writtenSet(fields(0, 20_000) as JsonObject);
  expect(set.isEmpty).toBe(false);
  let steps = 0;
  for (const _ of set.read()) steps++;
  expect(steps).toBeGreaterThan(15);
});

/** An object that counts how often somebody looks at one of its members. */
function counting(data: JsonObject, looked: () => void): JsonObject {
  return new Proxy(data, {
    get(target, name) {
      looked();
      return target[name as string];
    },
  });
}

/** Members of data that are looked at between two turns, at most. */
async function longestRun(
  run: (data: (of: JsonObject) => JsonObject, pause: () => undefined) => Promise<unknown>,
): Promise<number> {
  let [longest, looks] = [0, 0];
  const looked = () => {
    longest = Math.max(longest, ++looks);
  };
  await run(
    (data) => counting(data, looked),
    () => {
      looks = 0;
      return undefined;
    },
  );
  return longest;
}

/** More than are looked at between two turns where work is divided: a piece of each of two objects, a few times. */
const FEW = 5_000;
const options = { manager: 'z', now, force: true };

test('a level of very many members is divided: an update looks at few of them between two turns', async () => {
  for (const next of [keys(30_000, '2'), { ...keys(15_000, '1'), other: '' }]) {
    const longest = await longestRun((counted, pause) =>
      configMaps.updateAsync(
        configMap(counted(keys(30_000, '1')), [entry('y', 'Update', fields(0, 9))]),
        configMap(counted(next)),
        options,
        pause,
      ),
    );
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(FEW);
  }
});

test('an apply looks at most once at all members between two turns, and that only where it merely looks', async () => {
  const many = 30_000;
  for (const managedFields of [undefined, [entry('z', 'Apply', fields(0, many))]]) {
    const longest = await longestRun((counted, pause) =>
      configMaps.applyAsync(
        configMap(counted(keys(many, '1')), managedFields),
        configMap(counted(keys(many / 2, '2'))),
        options,
        pause,
      ),
    );
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThan(many + FEW);
  }
});

test.each([
  ['values', (i: number) => `${i}`, 'v:[', ']'],
  ['keys', (i: number) => `"a${i}":1`, 'k:{', '}'],
])('one step of a path that holds thousands of %s is none', (_what, piece, open, close) => {
  const step = `${open}${many(300_000, piece).join()}${close}`;
  const sent = configMap({ a: 'b' }, [entry('m', 'Update', { [step]: {} })]);
  const { metadata } = configMaps.update(undefined, sent, { manager: 'n', now }) as { metadata: JsonObject };
  expect(JSON.stringify(metadata.managedFields).length).toBeLessThan(1_000);
});
