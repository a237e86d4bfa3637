import { filled, type HeavyRequest, MAX_BODY_BYTES, MAX_VALUES, ROOM_VALUES } from './heavy-request.js';
import {
  annotated,
  CONTAINERS,
  environment,
  finalized,
  half,
  halfFinalized,
  map,
  podOf,
  revision,
  secret,
} from './targets.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const MAX_OPERATIONS = 10_000;

type Patch = readonly [name: string, type: string, target: HeavyRequest, object: string, body: () => Buffer];

const operations =
  (first: string, piece: (index: number) => string, count = MAX_OPERATIONS - 1) =>
  () =>
    filled(`[${first}`, piece, ']', { count });
const big = (bytes: number) => `[${'0,'.repeat(bytes)}0]`;

/** A patch of the data of a ConfigMap or a Secret. */
const wide = (piece: (index: number) => string, count = MAX_VALUES - ROOM_VALUES) =>
  filled('{"data":{', piece, '}}', { count });
const annotations = () =>
  filled('{"metadata":{"annotations":{', (i) => `"k${i.toString(36)}":"x"`, '}}}', { count: MAX_VALUES - ROOM_VALUES });

const PATCHES: readonly Patch[] = [
  [
    'json patch: adds at the beginning',
    JSON_PATCH,
    revision,
    'patched',
    operations('', () => '{"op":"add","path":"/data/l/0","value":0}'),
  ],
  [
    'json patch: removals at the beginning',
    JSON_PATCH,
    revision,
    'patched',
    operations('', () => '{"op":"remove","path":"/data/l/0"}'),
  ],
  [
    'json patch: moves',
    JSON_PATCH,
    revision,
    'patched',
    operations('', () => '{"op":"move","from":"/data/l/0","path":"/data/l/-"}'),
  ],
  [
    'json patch: copies of a list into itself',
    JSON_PATCH,
    revision,
    'patched',
    operations('', (i) => `{"op":"copy","from":"/data/l","path":"/data/x${i}"}`),
  ],
  [
    'json patch: doubling',
    JSON_PATCH,
    revision,
    'patched',
    operations('{"op":"add","path":"/data/a","value":[0]},', () => '{"op":"copy","from":"/data/a","path":"/data/a/-"}'),
  ],
  [
    'json patch: tests of a list',
    JSON_PATCH,
    revision,
    'patched',
    operations(
      `{"op":"replace","path":"/data","value":${big(20_000)}},{"op":"test","path":"/data","value":${big(20_000)}},`,
      () => '{"op":"test","path":"/kind","value":"ControllerRevision"}',
    ),
  ],
  [
    'json patch: replacements of the whole',
    JSON_PATCH,
    revision,
    'patched',
    operations('', () => '{"op":"replace","path":"/data","value":{}}'),
  ],
  [
    'json patch: long paths',
    JSON_PATCH,
    revision,
    'patched',
    operations('', () => `{"op":"test","path":"/${'a/'.repeat(120)}","value":0}`),
  ],
  [
    'json patch: nesting',
    JSON_PATCH,
    revision,
    'patched',
    operations('', () => '{"op":"copy","from":"/data","path":"/data/x"}'),
  ],
  [
    'json patch: moves into depth',
    JSON_PATCH,
    revision,
    'patched',
    () =>
      Buffer.from(
        `[${Array.from({ length: 900 }, (_, i) => `{"op":"add","path":"/data${'/a'.repeat(i + 1)}","value":{}}`).join()}]`,
      ),
  ],
  [
    'json patch: more operations than are allowed',
    JSON_PATCH,
    revision,
    'patched',
    operations('', () => '{"op":"test","path":"/kind","value":"x"}', 20_000),
  ],
  [
    'json patch: unknown members',
    JSON_PATCH,
    revision,
    'patched',
    operations('', (i) => `{"op":"test","path":"/kind","value":"ControllerRevision","x${i}":0}`),
  ],
  [
    'json patch: keys of data',
    JSON_PATCH,
    map,
    'patched',
    operations('', (i) => `{"op":"remove","path":"/data/k${i}"}`),
  ],
  [
    'json patch: pods',
    JSON_PATCH,
    podOf,
    'patched',
    operations('', (i) => `{"op":"replace","path":"/spec/containers/${i % CONTAINERS}/image","value":"j"}`),
  ],
  [
    'json patch: copies of a long environment',
    JSON_PATCH,
    environment,
    'environment',
    operations('', () => '{"op":"copy","from":"/spec/containers/0","path":"/spec/containers/-"}', 150),
  ],
  ...[MERGE, STRATEGIC].flatMap((type): Patch[] => {
    const name = type === MERGE ? 'merge patch' : 'strategic patch';
    return [
      [`${name}: as many new keys`, type, half, 'half', () => wide((i) => `"n${i}":"x"`, MAX_VALUES / 2 - 100)],
      [`${name}: keys of a secret`, type, secret, 'patched', () => wide((i) => `"k${i}":"eA=="`)],
      [`${name}: annotations`, type, annotated, 'annotated', annotations],
      [`${name}: one of many keys`, type, map, 'patched', () => Buffer.from('{"data":{"k1":"x"}}')],
      [
        `${name}: one label beside many keys`,
        type,
        map,
        'patched',
        () => Buffer.from('{"metadata":{"labels":{"a":"b"}}}'),
      ],
    ];
  }),
  ['strategic patch: keys', STRATEGIC, map, 'patched', () => wide((i) => `"k${i}":"x"`)],
  ['strategic patch: new keys', STRATEGIC, map, 'patched', () => wide((i) => `"n${i}":"x"`)],
  ['merge patch: keys', MERGE, map, 'patched', () => wide((i) => `"k${i}":"x"`)],
  ['merge patch: new keys', MERGE, map, 'patched', () => wide((i) => `"n${i}":"x"`)],
  ['merge patch: deletions', MERGE, map, 'patched', () => filled('{"data":{', (i) => `"k${i}":null`, '}}')],
  [
    'merge patch: nulls in lists',
    MERGE,
    revision,
    'patched',
    () => filled('{"data":{"l":[', () => '{"a":null}', ']}}', { count: MAX_VALUES / 2 - ROOM_VALUES }),
  ],
  [
    'merge patch: depth',
    MERGE,
    revision,
    'patched',
    () => Buffer.from(`{"data":${'{"a":'.repeat(990)}0${'}'.repeat(991)}`),
  ],
  [
    'merge patch: one long text',
    MERGE,
    map,
    'patched',
    () => Buffer.from(`{"data":{"a":"${'x'.repeat(MAX_BODY_BYTES - 100)}"}}`),
  ],
  [
    'strategic patch: containers',
    STRATEGIC,
    podOf,
    'patched',
    () => filled('{"spec":{"containers":[', (i) => `{"name":"c${i}","image":"j"}`, ']}}', { count: CONTAINERS }),
  ],
  [
    'strategic patch: containers in another order',
    STRATEGIC,
    podOf,
    'patched',
    () =>
      filled('{"spec":{"containers":[', (i) => `{"name":"c${CONTAINERS - 1 - i}","image":"j"}`, ']}}', {
        count: CONTAINERS,
      }),
  ],
  [
    'strategic patch: one container again and again',
    STRATEGIC,
    podOf,
    'patched',
    () => filled('{"spec":{"containers":[', () => '{"name":"c1","image":"j"}', ']}}'),
  ],
  [
    'strategic patch: deletions',
    STRATEGIC,
    podOf,
    'patched',
    () => filled('{"spec":{"containers":[', (i) => `{"$patch":"delete","name":"c${i}"}`, ']}}'),
  ],
  [
    'strategic patch: items without keys',
    STRATEGIC,
    podOf,
    'patched',
    () => filled('{"spec":{"containers":[', () => '{}', ']}}'),
  ],
  [
    'strategic patch: an order',
    STRATEGIC,
    podOf,
    'patched',
    () => filled('{"spec":{"$setElementOrder/containers":[', (i) => `{"name":"c${CONTAINERS - 1 - i}"}`, ']}}'),
  ],
  [
    'strategic patch: an order of others',
    STRATEGIC,
    podOf,
    'patched',
    () =>
      filled('{"spec":{"$setElementOrder/containers":[', (i) => `{"name":"x${i}"}`, '],"containers":[{"name":"x1"}]}}'),
  ],
  [
    'strategic patch: deletions from a list',
    STRATEGIC,
    finalized,
    'finalized',
    () => filled('{"metadata":{"$deleteFromPrimitiveList/finalizers":[', (i) => `"a/g${i}"`, ']}}'),
  ],
  [
    'strategic patch: additions to a list',
    STRATEGIC,
    halfFinalized,
    'half-finalized',
    () => filled('{"metadata":{"finalizers":[', (i) => `"a/g${i}"`, ']}}', { count: MAX_VALUES / 2 - ROOM_VALUES }),
  ],
  [
    'strategic patch: retained keys',
    STRATEGIC,
    map,
    'patched',
    () => filled('{"data":{"$retainKeys":[', (i) => `"k${i}"`, ']}}'),
  ],
  [
    'strategic patch: unknown orders',
    STRATEGIC,
    map,
    'patched',
    () => filled('{"data":{', (i) => `"$setElementOrder/k${i}":[]`, '}}'),
  ],
];

export const patchBodies: readonly HeavyRequest[] = PATCHES.map(([name, type, before, object, body]) => ({
  name,
  method: 'PATCH',
  path: `${before.path}/${object}?dryRun=All`,
  headers: { 'Content-Type': type },
  body,
  before,
}));
