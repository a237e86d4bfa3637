import { encodeUnknown } from '@orch/codec';
import { CORE, type HeavyRequest, MAX_BODY_BYTES, MAX_VALUES, post } from './heavy-request.js';

const MEDIA = 'application/vnd.kubernetes.protobuf';
const PREFIX = [0x6b, 0x38, 0x73, 0x00];

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return [...bytes, rest];
}

/** A length-delimited field. */
const field = (number: number, content: Buffer | string): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
};

const repeat = (piece: Buffer, count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => piece));
const fitting = (piece: Buffer, values = 1): number =>
  Math.floor(Math.min((MAX_BODY_BYTES - 200) / piece.length, (MAX_VALUES - 100) / values));

const META = field(1, field(1, 'heavy'));
const document = (apiVersion: string, kind: string, raw: Buffer): Buffer =>
  Buffer.from(encodeUnknown({ apiVersion, kind, raw }));
const configMap = (...fields: Buffer[]) => document('v1', 'ConfigMap', Buffer.concat([META, ...fields]));
const pod = (...fields: Buffer[]) => document('v1', 'Pod', Buffer.concat([META, field(2, Buffer.concat(fields))]));
const revision = (...fields: Buffer[]) => document('apps/v1', 'ControllerRevision', Buffer.concat([META, ...fields]));

/** Returns as many small, distinct pieces as fit. */
function numbered(piece: (index: number) => Buffer, values: number): Buffer {
  const pieces: Buffer[] = [];
  let room = MAX_BODY_BYTES - 200;
  for (let i = 0; i < (MAX_VALUES - 100) / values; i++) {
    const next = piece(i);
    room -= next.length;
    if (room < 0) break;
    pieces.push(next);
  }
  return Buffer.concat(pieces);
}

const entry = (key: string, value: string) => field(2, Buffer.concat([field(1, key), field(2, value)]));
const container = (i: number) => field(2, Buffer.concat([field(1, `c${i}`), field(2, 'i')]));
/** Values of a container with its defaults. */
const CONTAINER_VALUES = 8;
const EMPTY = Buffer.from([0x12, 0]);
const UNKNOWN = Buffer.from([...varint(1000 * 8), 0]);
const GROUPS = Buffer.alloc(MAX_BODY_BYTES / 2 - 200, 0x7b);

function nestedNot(levels: number): Buffer {
  let inner: Buffer = Buffer.alloc(0);
  for (let i = 0; i < levels; i++) inner = field(28, inner);
  return inner;
}

const definition = (schema: Buffer) =>
  document(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    Buffer.concat([META, field(2, field(7, field(4, field(1, schema))))]),
  );

const MAPS = `${CORE}/configmaps`;
const PODS = `${CORE}/pods`;
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const BODIES: readonly (readonly [string, string, () => Buffer])[] = [
  ['data of many keys', MAPS, () => configMap(numbered((i) => entry(`${i}x`, ''), 3))],
  ['one key again and again', MAPS, () => configMap(repeat(entry('a', ''), fitting(entry('a', ''), 3)))],
  ['empty entries', MAPS, () => configMap(repeat(EMPTY, fitting(EMPTY)))],
  ['more entries than are allowed', MAPS, () => configMap(repeat(EMPTY, MAX_BODY_BYTES / 2 - 100))],
  ['unknown fields', MAPS, () => configMap(repeat(UNKNOWN, fitting(UNKNOWN)))],
  [
    'more unknown fields than are allowed',
    MAPS,
    () => configMap(repeat(UNKNOWN, MAX_BODY_BYTES / UNKNOWN.length - 100)),
  ],
  ['groups in groups', MAPS, () => configMap(GROUPS)],
  [
    'envelopes in an envelope',
    MAPS,
    () => Buffer.concat([Buffer.from(PREFIX), repeat(field(2, ''), MAX_BODY_BYTES / 2 - 10)]),
  ],
  [
    'types again and again',
    MAPS,
    () => Buffer.concat([Buffer.from(PREFIX), repeat(field(1, field(1, 'v1')), MAX_BODY_BYTES / 6 - 10)]),
  ],
  ['metadata again and again', MAPS, () => configMap(repeat(META, fitting(META, 2)))],
  [
    'labels',
    MAPS,
    () =>
      configMap(
        field(
          1,
          numbered((i) => field(11, Buffer.concat([field(1, `l${i}`), field(2, '')])), 3),
        ),
      ),
  ],
  ['containers', PODS, () => pod(numbered(container, CONTAINER_VALUES))],
  ['empty containers', PODS, () => pod(repeat(EMPTY, fitting(EMPTY, CONTAINER_VALUES)))],
  ['a schema of the deepest', CRDS, () => definition(repeat(nestedNot(380), Math.floor(fitting(nestedNot(380), 381))))],
  ['a schema deeper than that', CRDS, () => definition(nestedNot(20_000))],
  ['packed numbers', PODS, () => pod(field(14, field(4, Buffer.alloc(MAX_VALUES - 500, 1))))],
  ['more packed numbers than are allowed', PODS, () => pod(field(14, field(4, Buffer.alloc(MAX_BODY_BYTES - 500, 1))))],
  [
    'raw JSON',
    `/apis/apps/v1/namespaces/default/controllerrevisions`,
    () => revision(field(2, field(1, `[${'0,'.repeat(MAX_VALUES - 100)}0]`))),
  ],
  [
    'more raw JSON than is allowed',
    `/apis/apps/v1/namespaces/default/controllerrevisions`,
    () => revision(repeat(field(2, field(1, `[${'0,'.repeat(9_000)}0]`)), 150)),
  ],
  ['lengths beyond the end', MAPS, () => Buffer.concat([Buffer.from(PREFIX), Buffer.alloc(20 * 40_000 + 10, 0x12)])],
];

export const protobufBodies: readonly HeavyRequest[] = BODIES.map(([name, path, body]) =>
  post(`protobuf: ${name}`, path, body, MEDIA),
);
