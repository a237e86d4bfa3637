import { CORE, filled, type HeavyRequest, MAX_VALUES, ROOM_VALUES } from './heavy-request.js';
import { annotated, collection, finalized, map, podOf, revision, secret } from './targets.js';

/** Another state of an object, written over it whole. */
const replace = (before: HeavyRequest, name: string, type: string, from: string, to: string): HeavyRequest => ({
  name: `put: ${before.path}/${name} as ${type}`,
  method: 'PUT',
  path: `${before.path}/${name}?dryRun=All`,
  headers: { 'Content-Type': type },
  body: () => Buffer.from(before.body?.().toString().replaceAll(from, to) ?? ''),
  before,
});

const ACCEPTED = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
];

/** Reads an object in every form. */
function read(before: HeavyRequest): HeavyRequest[] {
  const path = `${before.path}/${before === finalized ? 'finalized' : 'patched'}`;
  return ACCEPTED.flatMap((accept): HeavyRequest[] => [
    { name: `get: ${path} as ${accept}`, method: 'GET', path, headers: { Accept: accept }, before },
    {
      name: `pretty: ${path} as ${accept}`,
      method: 'GET',
      path: `${path}?pretty=true`,
      headers: { Accept: accept },
      before,
    },
  ]);
}

/** All that was made of a type. */
const list = (before: HeavyRequest): HeavyRequest[] =>
  ACCEPTED.map((accept) => accept.replace('PartialObjectMetadata', 'PartialObjectMetadataList')).map((accept) => ({
    name: `list: ${before.path} as ${accept}`,
    method: 'GET',
    path: before.path,
    headers: { Accept: accept },
    before,
  }));

/** Objects that the patches created, read and written as a whole. */
export const wholeObjects: readonly HeavyRequest[] = [
  ...['application/json', 'application/yaml'].flatMap((type) => [
    replace(map, 'patched', type, '""', '"x"'),
    replace(secret, 'patched', type, '""', '"eA=="'),
    replace(annotated, 'annotated', type, '""', '"x"'),
    replace(podOf, 'patched', type, '"image":"i"', '"image":"j"'),
    replace(revision, 'patched', type, '0,', '1,'),
  ]),
  ...[revision, podOf, map, finalized].flatMap(read),
  ...[revision, podOf, map].flatMap(list),
];

export const deletions: readonly HeavyRequest[] = [
  {
    name: 'delete: large objects together',
    method: 'DELETE',
    path: `${collection.path}?dryRun=All`,
    before: collection,
  },
  ...['preconditions', 'dryRun'].flatMap(deletionsOf),
];

function deletionsOf(member: string): HeavyRequest[] {
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
      body: () =>
        filled('dryRun:\n', () => '- All', '', { separator: '\n', values: 0, count: MAX_VALUES - ROOM_VALUES }),
    },
  ];
}
