import { LATER_ENVIRONMENT, RuleRun, RuleValidator } from '@orch/expressions';
import { type ApiObject, type FieldError, invalidValue, type JsonObject } from '@orch/machinery';
import { blocksRules, Prior, type Steps, type StructuralSchema, validateObject } from '@orch/schema';
import type { CustomScale } from './scale.js';

/** Path of errors that concern the whole object. */
const WHOLE = '<nil>';
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** Validates objects of one version of a definition; immutable and meant to be shared. */
export class CustomValidator {
  #rules: RuleValidator | undefined;

  /**
   * @param schema called when first needed: an unused definition costs only its text
   * @param scale of objects that have one
   * @param asksRules whether rules in CEL are evaluated
   * @param ratchets whether errors are ignored in parts that an update leaves unchanged
   */
  constructor(
    private readonly schema: () => StructuralSchema,
    private readonly scale: CustomScale | undefined,
    private readonly asksRules: boolean,
    private readonly ratchets: boolean,
  ) {}

  /**
   * Finds the errors of an object, except for its metadata, in steps. Rules in CEL are evaluated only for values that
   * they can be applied to.
   * @param object pruned, with defaults
   * @param old the stored object, in an update
   * @param isStatus whether only the status is written
   * @param found errors of its metadata; default none
   */
  *errors(
    object: ApiObject,
    old: ApiObject | undefined,
    isStatus: boolean,
    found: readonly FieldError[] = [],
  ): Iterable<FieldError[]> {
    const judge = (prior?: Prior) =>
      validateObject(object, this.schema(), {
        ...(old && { old }),
        prior,
        skipsEmbedded: isStatus,
        besides: () => this.scale?.errors(object, isStatus) ?? [],
      });
    const before = this.ratchets ? old : undefined;
    const { schema } = this;
    let prior: Prior | undefined;
    let errors = yield* inTurns(judge());
    // Most objects are valid, and need not be compared with the stored ones.
    if (errors.length > 0 && before) {
      prior = yield* inTurns(Prior.of(object as JsonObject, before as JsonObject, this.schema()));
      errors = yield* inTurns(judge(prior));
    }
    yield errors;
    if (!this.asksRules) return;
    // Stored rules keep working, whether new ones may use these features or not.
    this.#rules ??= new RuleValidator(this.schema().props, true, LATER_ENVIRONMENT);
    if (this.#rules.isEmpty) return;
    if (blocksRules(found) || blocksRules(errors)) yield [invalidValue(WHOLE, null, NOT_CHECKED)];
    else {
      // The comparison is needed only if a rule is violated.
      function* compare(this: void): Iterable<void> {
        prior ??= yield* Prior.of(object as JsonObject, before as JsonObject, schema());
      }
      const isUnchanged = (container: object): boolean => prior?.isUnchanged(container) === true;
      yield* brokenRules(
        this.#rules,
        before ? new RuleRun(undefined, isUnchanged, compare) : new RuleRun(),
        object,
        old,
      );
    }
  }
}

/** Returns the result of steps, with an empty list of errors for each step. */
function* inTurns<T>(steps: Steps<T>): Generator<FieldError[], T> {
  for (;;) {
    const next = steps.next();
    if (next.done) return next.value;
    yield [];
  }
}

function* brokenRules(
  rules: RuleValidator,
  run: RuleRun,
  object: ApiObject,
  old: ApiObject | undefined,
): Iterable<FieldError[]> {
  for (const _ of rules.steps(run, object, old)) yield [];
  yield run.errors.map((error) => (error.field === '' ? { ...error, field: WHOLE } : error));
}
