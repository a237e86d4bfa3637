import type { FieldError } from '@orch/machinery';
import { Effort } from './effort.js';
import { embeddedRuleErrors } from './embedded-objects.js';
import type { Json } from './json.js';
import { uniquenessErrors } from './list-uniqueness.js';
import type { Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';
import { validateValue } from './validation.js';

/**
 * What is wrong with an object of a custom kind by its schema, but for its own metadata and rules in CEL; at most about 3,000 errors.
 * In steps of some ten milliseconds, so that others have their turn between them.
 * @param old what is stored, in an update: elements that stood twice there in lists that are sets or maps may go on to
 */
export function* validateObject(object: Json, schema: StructuralSchema, old?: Json): Steps<FieldError[]> {
  const effort = Effort.inSteps(schema.root.patterns);
  const errors = yield* validateValue(schema, object, { effort });
  yield;
  const embedded = yield* embeddedRuleErrors(schema, object, '', effort);
  const repeated = yield* uniquenessErrors(object, old, schema, effort);
  return [...errors, ...embedded, ...repeated];
}

const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Whether rules in CEL cannot be asked because of what was found before. */
export const blocksRules = (errors: readonly FieldError[]): boolean =>
  errors.some(({ reason }) => BLOCKING.has(reason));
