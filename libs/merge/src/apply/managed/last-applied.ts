import { goJson, type JsonObject, type JsonValue } from '@orch/machinery';
import { isObject } from '../../json-values.js';
import { differenceInSteps } from '../paths/algebra-in-steps.js';
import { type FieldSet, NO_FIELDS } from '../paths/field-set.js';
import { isBeyond } from '../paths/nesting.js';
import { STEP, type Steps } from '../steps.js';
import type { Type } from '../types/type.js';
import { compareInSteps } from '../values/compare-in-steps.js';
import { ownedInSteps } from '../values/field-set-of.js';
import { misfitsInSteps } from '../values/fit.js';
import { type Conflict, Conflicts } from './conflict.js';

/** The manager that takes over what it applied before it used server-side apply. */
export const KUBECTL = 'kubectl';

/** Annotation in which kubectl keeps what it applied, as JSON. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Limit of all annotations of an object together, in bytes. */
const ANNOTATIONS_LIMIT = 256 * 1024;

/** The annotation of an object; undefined when it has none, or an empty one. */
function lastApplied(object: JsonObject): string | undefined {
  const annotations = annotationsOf(object);
  const text = annotations?.[LAST_APPLIED];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const metadata = isObject(object.metadata) ? object.metadata : undefined;
  return isObject(metadata?.annotations) ? metadata.annotations : undefined;
}

/**
 * The conflicts without fields that client-side apply explains: those that its annotation holds with the same values.
 * Undefined when none is left, so that the apply may be forced.
 */
export function* unexplained(conflicts: Conflicts, type: Type, live: JsonObject): Steps<Conflicts | undefined> {
  const explained = yield* appliedByClient(type, live);
  const left: Conflict[] = [];
  for (const { id, owner, fields } of conflicts.conflicts) {
    const others = yield* differenceInSteps(fields, explained);
    if (!others.isEmpty) left.push({ id, owner, fields: others });
  }
  return left.length > 0 ? new Conflicts(left) : undefined;
}

/** Fields whose live values are those of the annotation; none when that is not usable. */
function* appliedByClient(type: Type, live: JsonObject): Steps<FieldSet> {
  const applied = parsed(lastApplied(live));
  if (applied === undefined || applied.apiVersion !== live.apiVersion) return NO_FIELDS;
  yield STEP;
  if ((yield* misfitsInSteps(type, applied)).length > 0) return NO_FIELDS;
  const { set, removed } = yield* compareInSteps(type, applied, live);
  const owned = yield* ownedInSteps(type, applied);
  return yield* differenceInSteps(yield* differenceInSteps(owned, set), removed);
}

/** Maximum depth of clients' objects. */
const DEEPEST = 1_000;

function parsed(text: string | undefined): JsonObject | undefined {
  if (text === undefined || isBeyond(text, { depth: DEEPEST })) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns an object whose annotation, if it has one, holds the applied configuration; without it when there is no room
 * for it.
 */
export function withLastApplied(object: JsonObject, owned: JsonObject): JsonObject {
  if (lastApplied(object) === undefined) return object;
  // Sorting and encoding a configuration that does not fit anyway would take long.
  const text = leastSize(owned, ANNOTATIONS_LIMIT) > ANNOTATIONS_LIMIT ? undefined : configurationText(owned);
  const annotations: JsonObject = { ...annotationsOf(object), [LAST_APPLIED]: text ?? '' };
  if (text === undefined || sizeOf(annotations) > ANNOTATIONS_LIMIT) delete annotations[LAST_APPLIED];
  return { ...object, metadata: { ...(object.metadata as JsonObject), annotations } };
}

const sizeOf = (annotations: JsonObject): number =>
  Object.entries(annotations).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(String(value)),
    0,
  );

/** A lower bound of a value's bytes as JSON, or any number above `most`. */
function leastSize(value: JsonValue, most: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  let size = 0;
  for (const name in value) {
    if (size > most) break;
    if (name !== LAST_APPLIED) size += 1 + leastSize((value as JsonObject)[name] ?? null, most - size);
  }
  return size;
}

/** The applied configuration without the annotation itself, as kubectl writes it: sorted, with a newline at its end. */
function configurationText(owned: JsonObject): string {
  const metadata: JsonObject = isObject(owned.metadata) ? { ...owned.metadata } : {};
  if (isObject(metadata.annotations)) {
    const { [LAST_APPLIED]: _, ...others } = metadata.annotations;
    metadata.annotations = others;
  }
  return `${goJson({ ...owned, metadata })}\n`;
}
