import type { FieldError } from '@orch/machinery';
import { Effort } from './effort.js';
import { embeddedRuleErrors } from './embedded-objects.js';
import type { Json } from './json.js';
import { uniquenessErrors } from './list-uniqueness.js';
import type { Prior } from './prior.js';
import type { Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';
import { validateValue } from './validation.js';

/** Options for validating an object beside its schema. */
export interface ObjectOptions {
  /** The stored object in an update: lists with duplicates in it may keep them. */
  readonly old?: Json;
  /** Values that an update leaves unchanged, whose own errors are not reported. */
  readonly prior?: Prior | undefined;
  /** Leaves out embedded objects, as when only the status is written; default false. */
  readonly skipsEmbedded?: boolean;
  /** Further checks, reported behind those of single values. */
  besides?(): readonly FieldError[];
}

/**
 * Validates an object of a custom kind against its schema, but for its own metadata and rules in CEL; at most about
 * 3,000 errors. Runs in steps of some ten milliseconds, so that other work can run between them.
 */
export function* validateObject(
  object: Json,
  schema: StructuralSchema,
  options: ObjectOptions = {},
): Steps<FieldError[]> {
  const { old, prior, skipsEmbedded = false } = options;
  const effort = Effort.inSteps();
  const errors = yield* validateValue(schema, object, { effort, prior });
  yield;
  const more = options.besides?.() ?? [];
  const embedded = skipsEmbedded ? [] : yield* embeddedRuleErrors(schema, object, '', effort);
  const repeated = yield* uniquenessErrors(object, old, schema, effort);
  return [...errors, ...more, ...embedded, ...repeated];
}

const BLOCKING: ReadonlySet<string> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Whether rules in CEL cannot be run because of earlier errors. */
export const blocksRules = (errors: readonly FieldError[]): boolean =>
  errors.some(({ reason }) => BLOCKING.has(reason));
