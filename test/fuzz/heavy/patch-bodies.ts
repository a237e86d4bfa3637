import { CORE, filled, type HeavyRequest, MAX_BODY_BYTES, typed } from './heavy-request.js';

const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const MAX_OPERATIONS = 10_000;

const create = (path: string, head: string, piece: (index: number) => string, tail: string): HeavyRequest => ({
  name: `create: ${path}`,
  method: 'POST',
  path,
  headers: { 'Content-Type': 'application/json' },
  body: () => filled(head, piece, tail),
});

const revision = create(
  REVISIONS,
  `{${typed('apps/v1', 'ControllerRevision', 'patched')},"revision":1,"data":{"l":[`,
  () => '0',
  ']}}',
);
/** A body that is not cut at what is allowed, but at a number of its own. */
const podOf: HeavyRequest = {
  ...create(`${CORE}/pods`, '', () => '', ''),
  body: () =>
    filled(`{${typed('v1', 'Pod', 'patched')},"spec":{"containers":[`, (i) => `{"name":"c${i}","image":"i"}`, ']}}', {
      count: 6_000,
    }),
};
const map = create(`${CORE}/configmaps`, `{${typed('v1', 'ConfigMap', 'patched')},"data":{`, (i) => `"k${i}":""`, '}}');
const finalized = create(
  `${CORE}/configmaps`,
  '{"metadata":{"name":"finalized","finalizers":[',
  (i) => `"a/f${i}"`,
  ']}}',
);

type Patch = readonly [name: string, type: string, target: HeavyRequest, object: string, body: () => Buffer];

const operations =
  (first: string, piece: (index: number) => string, count = MAX_OPERATIONS - 1) =>
  () =>
    filled(`[${first}`, piece, ']', { count });
const big = (bytes: number) => `[${'0,'.repeat(bytes)}0]`;

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
    operations('', (i) => `{"op":"replace","path":"/spec/containers/${i % 6_000}/image","value":"j"}`),
  ],
  ['merge patch: keys', MERGE, map, 'patched', () => filled('{"data":{', (i) => `"k${i}":"x"`, '}}')],
  ['merge patch: new keys', MERGE, map, 'patched', () => filled('{"data":{', (i) => `"n${i}":"x"`, '}}')],
  ['merge patch: deletions', MERGE, map, 'patched', () => filled('{"data":{', (i) => `"k${i}":null`, '}}')],
  [
    'merge patch: nulls in lists',
    MERGE,
    revision,
    'patched',
    () => filled('{"data":{"l":[', () => '{"a":null}', ']}}'),
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
    () => filled('{"spec":{"containers":[', (i) => `{"name":"c${i}","image":"j"}`, ']}}'),
  ],
  [
    'strategic patch: containers in another order',
    STRATEGIC,
    podOf,
    'patched',
    () => filled('{"spec":{"containers":[', (i) => `{"name":"c${40_000 - i}","image":"j"}`, ']}}'),
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
    () => filled('{"spec":{"$setElementOrder/containers":[', (i) => `{"name":"c${40_000 - i}"}`, ']}}'),
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
    finalized,
    'finalized',
    () => filled('{"metadata":{"finalizers":[', (i) => `"a/g${i}"`, ']}}'),
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

/** What was made for the patches, read and written whole. */
export const wholeObjects: readonly HeavyRequest[] = [revision, podOf, map, finalized].flatMap((before) => {
  const path = `${before.path}/${before === finalized ? 'finalized' : 'patched'}`;
  return [
    'application/json',
    'application/yaml',
    'application/vnd.kubernetes.protobuf',
    'application/json;as=Table;g=meta.k8s.io;v=v1',
    'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  ].flatMap((accept): HeavyRequest[] => [
    { name: `get: ${path} as ${accept}`, method: 'GET', path, headers: { Accept: accept }, before },
    {
      name: `list: ${before.path} as ${accept}`,
      method: 'GET',
      path: before.path,
      headers: { Accept: accept },
      before,
    },
    {
      name: `pretty: ${path} as ${accept}`,
      method: 'GET',
      path: `${path}?pretty=true`,
      headers: { Accept: accept },
      before,
    },
  ]);
});

export const deletions: readonly HeavyRequest[] = ['preconditions', 'dryRun'].flatMap((member): HeavyRequest[] => {
  const body = () => filled(`{"dryRun":["All"],"${member}s":[`, (i) => `"a${i}"`, ']}');
  const values = () => filled('{"dryRun":[', () => '"All"', ']}');
  const headers = { 'Content-Type': 'application/json' };
  const yaml = { 'Content-Type': 'application/yaml' };
  return [
    {
      name: `delete: unknown ${member}`,
      method: 'DELETE',
      path: `${CORE}/configmaps/patched?dryRun=All`,
      headers,
      body,
      before: map,
    },
    {
      name: `delete: ${member} of many values`,
      method: 'DELETE',
      path: `${CORE}/configmaps/patched?dryRun=All`,
      headers,
      body: values,
      before: map,
    },
    {
      name: `delete: a collection, ${member}`,
      method: 'DELETE',
      path: `${CORE}/secrets?dryRun=All`,
      headers,
      body: values,
    },
    {
      name: `delete: YAML, ${member}`,
      method: 'DELETE',
      path: `${CORE}/secrets?dryRun=All`,
      headers: yaml,
      body: () => filled('dryRun:\n', () => '- All', '', { separator: '\n', values: 0 }),
    },
  ];
});
