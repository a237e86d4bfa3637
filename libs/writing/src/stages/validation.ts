import { type FieldError, validateObjectMetaUpdate } from '@orch/machinery';
import { tooManyValues } from '@orch/resources';
import { Slices } from '@orch/runtime/work';
import { checkTime } from '../pipeline/check-time.js';
import type { Draft, StageTools } from './draft.js';
import { holdsTooMany, invalidObject, validateMeta, valuesOf } from './object-checks.js';

/**
 * Validates the object with the rules of its kind, in the storage version; in steps for a large object, and for a small
 * one with slow rules.
 * @throws StatusError 422 naming every field, 413 for a large object that defaults have made too large, 504 past the
 * request's deadline
 */
export function validation(draft: Draft, tools: StageTools): void | Promise<void> {
  const large = draft.turn();
  if (large) return large.then(() => validateLarge(draft, tools));
  const slices = new Slices();
  const errors: FieldError[][] = [];
  const left = steps(draft)[Symbol.iterator]();
  for (let step = left.next(); !step.done; step = left.next()) {
    if (step.value.length > 0) errors.push(step.value);
    const pause = slices.between();
    if (pause) return pause.then(() => finish(draft, left, errors, () => slices.between()));
  }
  judge(draft, errors);
}

async function validateLarge(draft: Draft, { limits: { maxValues } }: StageTools): Promise<void> {
  // A write that would be refused anyway is not inspected for warnings, nor is a write of the server itself.
  const isOwn = draft.operation === 'DELETE' || draft.request.changeKind === 'internal';
  if (!isOwn && hasGrownBeyond(draft, maxValues)) throw tooManyValues(maxValues);
  await draft.turn();
  await finish(draft, steps(draft)[Symbol.iterator](), [], draft.turn);
}

/** The steps that are left, with turns for others between them. */
async function finish(
  draft: Draft,
  left: Iterator<FieldError[]>,
  errors: FieldError[][],
  turn: () => Promise<void> | undefined,
): Promise<void> {
  for (let step = left.next(); !step.done; step = left.next()) {
    if (step.value.length > 0) errors.push(step.value);
    const pause = turn();
    if (!pause) continue;
    await pause;
    checkTime(draft.request);
  }
  judge(draft, errors);
}

function judge(draft: Draft, errors: readonly FieldError[][]): void {
  refuse(draft, errors.flat());
  warn(draft);
}

/** Sends warnings about suspicious but accepted content to the client. */
function warn({ request: { endpoint, subresource, changeKind, caller }, wanted, before }: Draft): void {
  if (subresource !== '' || changeKind === 'internal') return;
  // There may be more of them than a call takes arguments.
  for (const warning of endpoint.storageRules.warnings(wanted, before)) caller.warnings.push(warning);
}

/** Whether an object has more values than allowed, and more than the stored one: a larger object may stay as it is. */
function hasGrownBeyond({ wanted, before }: Draft, maxValues: number): boolean {
  if (!holdsTooMany(wanted, maxValues)) return false;
  const most = before ? valuesOf(before, Number.POSITIVE_INFINITY) : 0;
  return most <= maxValues || valuesOf(wanted, most) > most;
}

function refuse({ request: { endpoint }, wanted }: Draft, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(endpoint, wanted, errors);
}

/**
 * Yields the errors of each set of rules, which all look at the whole object. Fields have their names of the sent
 * version.
 */
function* steps(draft: Draft): Iterable<FieldError[]> {
  const { rules } = draft.request.endpoint;
  for (const found of stored(draft)) {
    yield found.map((error) => ({ ...error, field: rules.refusedFieldName(error.field) }));
  }
}

function* stored({ request, wanted, before, wantedServed }: Draft): Iterable<FieldError[]> {
  const { endpoint, subresource, changeKind } = request;
  const { storageRules: rules } = endpoint;
  const { metadata = {} } = wanted;
  const changed = before ? validateObjectMetaUpdate(metadata, before.metadata ?? {}) : [];
  const found = [...validateMeta(endpoint, wanted), ...changed];
  yield found;
  if (!before) {
    yield endpoint.rules.validateServed(wantedServed);
    yield* rules.validateCreate(wanted, found);
    return;
  }
  if (changeKind === 'internal') return;
  yield endpoint.rules.validateServedUpdate(wanted, before);
  yield* rules.validateUpdate(wanted, before, subresource, found);
}
