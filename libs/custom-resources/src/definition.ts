import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { stringifyJson } from '@orch/codec';
import {
  type AcceptedNames,
  acceptedNames,
  approvalOf,
  conditionOf,
  type DefinitionCondition,
  isTrue,
  requestedNames,
  servedNames,
} from '@orch/kinds';
import type { ApiObject, JsonObject } from '@orch/machinery';
import { type Endpoint, fromStored, withoutOwners } from '@orch/resources';
import type { Row, Version } from '@orch/storage';

/** A CustomResourceDefinition in memory. It is small: the stored body stays compressed until it is read. */
export interface Definition {
  /** Name of the definition: `<plural>.<group>`. */
  readonly name: string;
  /** UID of the definition object; changes when it is deleted and created again. */
  readonly uid: string;
  /** Resource version of its last write. */
  readonly version: Version;
  /** Resource version of the last write that changed how it is served. */
  readonly since: Version;
  /** API group of its objects. */
  readonly group: string;
  /** The names by which it is served. */
  readonly names: AcceptedNames;
  /** Accepted names in its status, which another writer may have set. */
  readonly accepted: AcceptedNames;
  /**
   * The parts that decisions depend on: name, uid, annotations and finalizers, group, names and scope, and the status.
   */
  readonly outline: ApiObject & JsonObject;
  /** Name of the version that objects are stored in. */
  readonly storageVersion: string;
  /** Names of the versions that stored objects may be in. */
  readonly storedVersions: readonly string[];
  /**
   * Whether it has the names of its spec and its approval condition is up to date, so that nothing is left to decide.
   */
  readonly isSettled: boolean;
  /** Whether its objects are served: its names are accepted, or it has been established before. */
  readonly isServed: boolean;
  /** Whether it is established, and so listed by discovery. */
  readonly isEstablished: boolean;
  /** Whether it is being deleted, so that no objects are created any more. */
  readonly isTerminating: boolean;
  /** Hash of all that its endpoints are made from. */
  readonly fingerprint: string;
  /** Decodes the whole object without managedFields, in the stored version. The caller may change it. */
  read(): ApiObject;
}

/** Bodies of so many bytes are packed. */
const PACKED_BYTES = 2 << 10;

type StoredDefinition = Pick<Row, 'name' | 'uid' | 'version' | 'storedVersion' | 'defaults' | 'body'>;

/**
 * Reads a stored definition.
 * @param definitions the endpoint of definitions, in the version that is stored
 * @param before what was known of it
 * @throws ConversionError for a body of a version that this release does not know
 */
export function readDefinition(
  { name, uid, version, storedVersion, defaults, body }: StoredDefinition,
  definitions: Endpoint,
  before: Definition | undefined,
): Definition {
  const stored = { version, storedVersion, defaults };
  const object = fromStored({ ...stored, body }, definitions);
  const outline = outlineOf(object);
  const kept = packed(withoutOwners(body));
  const isEstablished = isTrue(outline, 'Established');
  const [accepted, names] = [acceptedNames(outline), servedNames(outline)];
  const definition = {
    ...{ name, uid, version, names, accepted, outline, isEstablished },
    read: () => fromStored({ ...stored, body: kept() }, definitions),
    isSettled: isSettled(outline, accepted),
    group: (object.spec as { group: string }).group,
    ...versionsOf(object),
    isServed: names.plural !== '' && (isEstablished || isTrue(outline, 'NamesAccepted')),
    isTerminating: object.metadata?.deletionTimestamp !== undefined,
    fingerprint: fingerprintOf(uid, names, object),
  };
  const isSame = before !== undefined && isServedAlike(before, definition) && before.since <= version;
  return { ...definition, since: isSame ? before.since : version };
}

/**
 * Compresses a large body; small ones, of which there may be thousands, are kept as they are, as compression takes
 * longer than parsing.
 * @returns a function that returns the body
 */
function packed(body: Buffer): () => Buffer {
  if (body.length < PACKED_BYTES) {
    const kept = Buffer.from(body);
    return () => kept;
  }
  // What comes out lies in a buffer of 16 KiB each, most of it empty.
  const kept = Buffer.from(deflateRawSync(body, { level: 1 }));
  return () => inflateRawSync(kept);
}

/** Whether a definition has this condition already, at whatever time it was set. */
export function hasCondition(outline: JsonObject, { type, status, reason, message }: DefinitionCondition): boolean {
  const told = conditionOf(outline, type);
  return told?.status === status && told.reason === reason && told.message === message;
}

function isSettled(outline: ApiObject & JsonObject, accepted: AcceptedNames): boolean {
  const approval = approvalOf(outline);
  if (approval && !hasCondition(outline, approval)) return false;
  if (conditionOf(outline, 'NamesAccepted')?.status === 'False') return false;
  return JSON.stringify(requestedNames(outline)) === JSON.stringify(accepted);
}

function versionsOf({ spec, status }: ApiObject): Pick<Definition, 'storageVersion' | 'storedVersions'> {
  const { versions } = spec as { versions: readonly { name: string; storage: boolean }[] };
  const { storedVersions = [] } = (status ?? {}) as { storedVersions?: readonly string[] };
  return { storageVersion: versions.find(({ storage }) => storage)?.name ?? '', storedVersions };
}

function outlineOf({ metadata, spec, status }: ApiObject): ApiObject & JsonObject {
  const { name, uid, annotations, finalizers, deletionTimestamp } = metadata ?? {};
  const { group, names, scope } = spec as JsonObject;
  const kept = { name, uid, annotations, finalizers, deletionTimestamp };
  return { metadata: kept, spec: { group, names, scope }, status } as ApiObject & JsonObject;
}

const fingerprintOf = (uid: string, names: AcceptedNames, { spec }: ApiObject): string =>
  createHash('sha256')
    .update(stringifyJson([uid, { ...names }, spec]))
    .digest('base64');

type Serving = Pick<Definition, 'fingerprint' | 'isServed' | 'isTerminating'>;

/**
 * Whether both are served alike. Establishment is not compared: a server serves a definition before it is established.
 */
const isServedAlike = (a: Serving, b: Serving): boolean =>
  a.fingerprint === b.fingerprint && a.isServed === b.isServed && a.isTerminating === b.isTerminating;
