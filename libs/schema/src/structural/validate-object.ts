import type { FieldError } from '@orch/machinery';
import { Effort } from './effort.js';
import { embeddedRuleErrors } from './embedded-objects.js';
import type { Json } from './json.js';
import { uniquenessErrors } from './list-uniqueness.js';
import type { Prior } from './prior.js';
import type { Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';
import { validateValue } from './validation.js';

/** What an object is judged by beside its schema. */
export interface Judging {
  /** What is stored, in an update: elements that stood twice there in lists that are sets or maps may go on to. */
  readonly old?: Json;
  /** What an update leaves as it is, of which nothing is told by the schema of single values. */
  readonly prior?: Prior | undefined;
  /** Whole objects in it are left out, as where only its status is written; default false. */
  readonly skipsEmbedded?: boolean;
  /** What else is asked of it, told behind what the schema says of single values. */
  besides?(): readonly FieldError[];
}

/**
 * What is wrong with an object of a custom kind by its schema, but for its own metadata and rules in CEL; at most about 3,000 errors.
 * In steps of some ten milliseconds, so that others have their turn between them.
 */
export function* validateObject(object: Json, schema: StructuralSchema, judging: Judging = {}): Steps<FieldError[]> {
  const { old, prior, skipsEmbedded = false } = judging;
  const effort = Effort.inSteps();
  const errors = yield* validateValue(schema, object, { effort, prior });
  yield;
  const more = judging.besides?.() ?? [];
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

/** Whether rules in CEL cannot be asked because of what was found before. */
export const blocksRules = (errors: readonly FieldError[]): boolean =>
  errors.some(({ reason }) => BLOCKING.has(reason));
