import type { ResourceDefinition, Schema, StructSchema } from '@orch/schema';
import { equal } from '../values/equal.js';
import { ensureObject, type Json, takeFrom } from '../values/fields.js';

/** The members of every object that are neither its desired state nor its observed state. */
const ENVELOPE: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/** Returns whether a resource has a `status` subresource. */
export const hasStatusSubresource = ({ subresources }: Pick<ResourceDefinition, 'subresources'>): boolean =>
  subresources.some((subresource) => subresource.name === 'status');

/** The desired state of `object` becomes that of `old`: what a write through `status` may not change. */
export function keepDesired(object: object, old: object): void {
  for (const name of new Set([...Object.keys(object), ...Object.keys(old)])) {
    if (!ENVELOPE.has(name)) takeFrom(object, old, name);
  }
}

/** Objects that have metadata. */
interface WithMetadata {
  metadata?: object;
}

/** Members of metadata that people and controllers set. */
const CHANGES_IN_METADATA = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/**
 * All but the status of `object` becomes that of `old`, where a write through `status` may not change metadata either.
 */
export function keepAllButStatus(object: WithMetadata, old: WithMetadata): void {
  keepDesired(object, old);
  const [metadata, before] = [ensureObject(object, 'metadata'), old.metadata ?? {}];
  for (const name of CHANGES_IN_METADATA) takeFrom(metadata, before, name);
}

/** Names of the members that are the desired state of objects of a kind. */
export const desiredMembers = (schema: StructSchema): string[] =>
  [...schema.fields.keys()].filter((name) => !ENVELOPE.has(name));

/** The observed state of `object` becomes that of `old`. */
export const keepStatus = (object: object, old: object): void => takeFrom(object, old, 'status');

/** Whether anything outside metadata and status differs. */
export function desiredChanged(object: object, old: object): boolean {
  const [now, before] = [object as Json, old as Json];
  for (const name of new Set([...Object.keys(now), ...Object.keys(before)])) {
    if (!ENVELOPE.has(name) && !equal(now[name], before[name])) return true;
  }
  return false;
}

/**
 * Returns the status of an object that has not been observed yet: the fields that are written even if they are zero.
 * Undefined for kinds without a declared status.
 */
export function emptyStatus(schema: StructSchema): Json | undefined {
  const status = schema.fields.get('status')?.schema;
  return status?.kind === 'struct' ? zeroStruct(status) : undefined;
}

function zeroStruct(struct: StructSchema): Json {
  const zero: Json = {};
  for (const field of struct.fields.values()) {
    const value = field.pointer ? undefined : zeroOf(field.schema, field.omitEmpty);
    if (value !== undefined) zero[field.name] = value;
  }
  return zero;
}

/** Structs are written empty; scalars only where the declaration does not leave their zero out. */
function zeroOf(schema: Schema, omitEmpty: boolean): unknown {
  if (schema.kind === 'struct') return schema.customJson ? undefined : zeroStruct(schema);
  if (omitEmpty) return undefined;
  switch (schema.kind) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'uint32':
    case 'uint64':
      return 0;
    default:
      return undefined;
  }
}
