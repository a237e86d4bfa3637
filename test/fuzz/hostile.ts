import { encodeObject, encodeUnknown } from '@orch/codec';
import type { ResourceDefinition } from '@orch/schema';
import fc from 'fast-check';
import type { Api } from '../support/api.js';
import { arbitraryObject, type GeneratedObject } from './arbitrary-object.js';
import { collectionOf, expectRefusal } from './round-trip.js';

/** A request that no well-meaning client sends, or one that is cut, flipped or nonsense in one place. */
export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

const TYPES = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
  jsonPatch: 'application/json-patch+json',
  mergePatch: 'application/merge-patch+json',
  strategicPatch: 'application/strategic-merge-patch+json',
} as const;

const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const anyJson = fc.json({ maxDepth: 6 }).map((text) => Buffer.from(text));
const deepJson = fc
  .tuple(fc.constantFrom('[', '{"a":', '{"metadata":{"labels":'), fc.integer({ min: 100, max: 50_000 }))
  .map(([piece, times]) => Buffer.from(piece.repeat(times)));
const pointer = fc.array(fc.oneof(fc.constantFrom('metadata', 'labels', 'data', '-', '0', '~1', '~'), fc.string()), {
  maxLength: 5,
});
const anyPatch = fc.array(
  fc.record({
    op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test', 'no'),
    path: pointer.map((parts) => parts.map((part) => `/${part}`).join('')),
    from: pointer.map((parts) => parts.map((part) => `/${part}`).join('')),
    value: fc.jsonValue(),
  }),
  { maxLength: 8 },
);

/** Bytes that were right, with some flipped, cut off, or doubled. */
function spoilt(right: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer> {
  const places = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 });
  return fc.tuple(right, places, fc.nat(), fc.constantFrom('flip', 'cut', 'double')).map(([bytes, flips, at, how]) => {
    const split = bytes.length === 0 ? 0 : at % bytes.length;
    if (how === 'cut') return bytes.subarray(0, split);
    if (how === 'double') return Buffer.concat([bytes.subarray(0, split), bytes]);
    const flipped = Buffer.from(bytes);
    for (const [place, mask] of flips) {
      const index = place % Math.max(1, flipped.length);
      flipped[index] = (flipped[index] ?? 0) ^ mask;
    }
    return flipped;
  });
}

/** Bodies of every kind for one resource, each with the type that it claims to be. */
function bodies(definition: ResourceDefinition): fc.Arbitrary<Pick<HostileRequest, 'contentType' | 'body'>> {
  const objects = arbitraryObject(definition);
  const json = objects.map((object) => Buffer.from(JSON.stringify(object)));
  const binary = objects.map((object) => binaryOf(definition, object));
  const of = (contentType: string, body: fc.Arbitrary<Buffer>) => body.map((bytes) => ({ contentType, body: bytes }));
  return fc.oneof(
    fc.record({ contentType: fc.constantFrom(...Object.values(TYPES), 'text/plain', ''), body: anyBytes }),
    of(TYPES.json, fc.oneof(anyJson, deepJson, spoilt(json))),
    of(TYPES.yaml, fc.oneof(anyJson, deepJson, spoilt(json), fc.constant(Buffer.from('a: &a [*a, *a]')))),
    of(TYPES.protobuf, spoilt(binary)),
  );
}

function binaryOf({ schema }: ResourceDefinition, object: GeneratedObject): Buffer {
  const { apiVersion, kind } = object;
  return encodeUnknown({ apiVersion, kind, raw: encodeObject(schema, object) });
}

const patches: fc.Arbitrary<Pick<HostileRequest, 'contentType' | 'body'>> = fc.oneof(
  anyPatch.map((patch) => ({ contentType: TYPES.jsonPatch, body: Buffer.from(JSON.stringify(patch)) })),
  fc.record({
    contentType: fc.constantFrom(TYPES.jsonPatch, TYPES.mergePatch, TYPES.strategicPatch),
    body: fc.oneof(anyJson, deepJson, anyBytes),
  }),
);

const QUERIES = [
  'labelSelector',
  'fieldSelector',
  'continue',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'timeoutSeconds',
  'dryRun',
  'fieldValidation',
  'pretty',
  'propagationPolicy',
  'gracePeriodSeconds',
] as const;
const queryValue = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('0', '-1', '1e9', '99999999999999999999', 'a in (', '!', 'a=b,,', 'metadata.name!=', 'Exact', 'true'),
  fc.base64String({ maxLength: 200 }),
);
const query = fc.dictionary(fc.constantFrom(...QUERIES), queryValue, { maxKeys: 4 }).map((values) => {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
});

/** Requests for one resource; `name` exists. */
export function hostileRequests(definition: ResourceDefinition, name: string): fc.Arbitrary<HostileRequest> {
  const collection = collectionOf(definition);
  const segment = fc.oneof(
    fc.constant(name),
    fc.string({ unit: 'binary', maxLength: 20 }).map((text) => encodeURIComponent(text)),
    fc.constantFrom('%', '%zz', '..', '%2e%2e', '%00', 'x'.repeat(4_000)),
  );
  const read = fc.record({
    method: fc.constant('GET'),
    path: fc.oneof(
      fc.constant(collection),
      segment.map((last) => `${collection}/${last}`),
    ),
    contentType: fc.constant(''),
    body: fc.constant(Buffer.alloc(0)),
  });
  const write = fc.tuple(fc.constantFrom('POST', 'PUT'), segment, bodies(definition)).map(([method, last, rest]) => ({
    method,
    path: method === 'POST' ? collection : `${collection}/${last}`,
    ...rest,
  }));
  const patch = fc
    .tuple(segment, patches)
    .map(([last, rest]) => ({ method: 'PATCH', path: `${collection}/${last}`, ...rest }));
  return fc
    .tuple(fc.oneof(read, write, patch), query)
    .map(([request, text]) => ({ ...request, path: `${request.path}?${text}` }));
}

/** Whatever is asked, the answer is a success or a refusal in order. @throws RoundTripError for any other */
export async function expectOrder(api: Api, { method, path, contentType, body }: HostileRequest): Promise<void> {
  const headers: Record<string, string> = contentType === '' ? {} : { 'content-type': contentType };
  const answer = await api.request(method, path, { headers, ...(body.length > 0 && { body }) });
  if (answer.status >= 300) expectRefusal(answer);
}
