import { countValues } from '@orch/codec';
import { type FieldError, validateObjectMetaUpdate } from '@orch/machinery';
import { tooManyValues } from './decode-body.js';
import type { Draft, StageTools } from './draft.js';
import { holdsTooMany, invalidObject, validateMeta } from './object-checks.js';

/**
 * The rules of the kind, in the version that is stored; those of a large object a step at a time.
 * @throws StatusError 422 naming every field, 413 for a large object that defaults have made too large
 */
export function validation(draft: Draft, tools: StageTools): void | Promise<void> {
  const large = draft.turn();
  if (large) return large.then(() => validateLarge(draft, tools));
  refuse(draft, [...steps(draft)].flat());
}

async function validateLarge(draft: Draft, { limits: { maxValues } }: StageTools): Promise<void> {
  // What would be refused anyway is not looked into as well.
  if (hasGrownBeyond(draft, maxValues)) throw tooManyValues(maxValues);
  await draft.turn();
  const errors: FieldError[][] = [];
  for (const found of steps(draft)) {
    errors.push(found);
    await draft.turn();
  }
  refuse(draft, errors.flat());
}

/** What is larger already may stay so. */
function hasGrownBeyond({ object, old }: Draft, maxValues: number): boolean {
  if (!holdsTooMany(object, maxValues)) return false;
  const most = old ? countValues(old, Number.POSITIVE_INFINITY) : 0;
  return most <= maxValues || countValues(object, most) > most;
}

function refuse({ request: { endpoint }, object }: Draft, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(endpoint, object, errors);
}

/** Each looks at all of the object. */
function* steps({ request: { endpoint, ownChange }, object, old, served }: Draft): Iterable<FieldError[]> {
  const { storageRules: rules } = endpoint;
  yield validateMeta(endpoint, object);
  if (old) {
    yield validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {});
    if (!ownChange) yield* rules.validateUpdate(object, old);
    return;
  }
  // What the version that was sent asks of new objects, beside what is asked in every version.
  if (endpoint.conversion) yield* endpoint.rules.validateCreate(served);
  for (const found of rules.validateCreate(object))
    yield found.map((error) => ({ ...error, field: endpoint.rules.refusedFieldName(error.field) }));
}
