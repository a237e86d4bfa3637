import {
  CONFIG_MAP,
  CORE,
  filled,
  type HeavyRequest,
  MAX_BODY_BYTES,
  MAX_VALUES,
  post,
  ROOM_VALUES,
} from './heavy-request.js';
import { half, map, podOf } from './targets.js';

const APPLY = { 'Content-Type': 'application/apply-patch+yaml' };
const ENTRY = '"operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1"';

/** A server-side apply upon what a target has made. */
const apply = (name: string, before: HeavyRequest, object: string, body: () => Buffer): HeavyRequest => ({
  name: `apply: ${name}`,
  method: 'PATCH',
  path: `${before.path}/${object}?fieldManager=heavy&force=true&dryRun=All`,
  headers: APPLY,
  body,
  before,
});

const wide =
  (object: string, piece: (index: number) => string, count = MAX_VALUES - ROOM_VALUES) =>
  () =>
    filled(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${object}"},"data":{`, piece, '}}', { count });

const applies: readonly HeavyRequest[] = [
  apply(
    'every value of a map',
    map,
    'patched',
    wide('patched', (i) => `"k${i}":"x"`),
  ),
  apply(
    'a map as it is',
    map,
    'patched',
    wide('patched', (i) => `"k${i}":""`),
  ),
  apply(
    'other keys of a map',
    half,
    'half',
    wide('half', (i) => `"o${i}":""`, MAX_VALUES / 2 - ROOM_VALUES),
  ),
  apply('every container of a pod', podOf, 'patched', () =>
    Buffer.from(podOf.body?.().toString().replaceAll('"image":"i"', '"image":"j"') ?? ''),
  ),
  apply(
    'one that is not there',
    half,
    'applied',
    wide('applied', (i) => `"k${i}":""`),
  ),
];

/** A body whose managedFields hold as much as they may; `values` of each piece, at most. */
const owned = (
  name: string,
  head: string,
  piece: (index: number) => string,
  tail: string,
  values: number,
): HeavyRequest =>
  post(`owners: ${name}`, `${CORE}/configmaps`, () => {
    const before = `{${CONFIG_MAP.slice(0, -1)},"managedFields":[${head}`;
    return filled(before, piece, `${tail}]}}`, { bytes: MAX_BODY_BYTES, values });
  });

const bodies: readonly HeavyRequest[] = [
  owned('many fields', `{${ENTRY},"fieldsV1":{"f:data":{`, (i) => `"f:k${i}":{}`, '}}}', 2),
  owned('fields in no order', `{${ENTRY},"fieldsV1":{"f:data":{`, (i) => `"f:${(i * 7919) % 99_991}":{}`, '}}}', 2),
  owned('items by keys', `{${ENTRY},"fieldsV1":{"f:a":{`, (i) => `"k:{\\"a\\":\\"${i}\\",\\"b\\":${i}}":{}`, '}}}', 2),
  owned('items by value', `{${ENTRY},"fieldsV1":{"f:a":{`, (i) => `"v:\\"${i}\\"":{}`, '}}}', 2),
  owned('updaters of a field each', '', (i) => `{"manager":"m${i}",${ENTRY},"fieldsV1":{"f:data":{"f:a":{}}}}`, '', 9),
];

/** Requests that are about who owns which field. */
export const ownerBodies: readonly HeavyRequest[] = [...applies, ...bodies];
