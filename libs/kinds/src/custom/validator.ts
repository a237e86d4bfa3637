import { LATER_ENVIRONMENT, RuleRun, RuleValidator } from '@orch/expressions';
import { type ApiObject, type FieldError, invalidValue, type JsonObject } from '@orch/machinery';
import { blocksRules, Prior, type Steps, type StructuralSchema, validateObject } from '@orch/schema';
import type { CustomScale } from './scale.js';

/** Whatever names the object; nothing else can be said of where it is. */
const WHOLE = '<nil>';
const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

/** Judges objects of one version of a definition; immutable and meant to be shared. */
export class CustomValidator {
  #rules: RuleValidator | undefined;

  /**
   * @param schema told when it is first asked for: a definition that nobody uses costs its text only
   * @param scale of objects that have one
   * @param asksRules whether rules in CEL are asked
   * @param ratchets whether what is wrong may stay where an update leaves it as it is
   */
  constructor(
    private readonly schema: () => StructuralSchema,
    private readonly scale: CustomScale | undefined,
    private readonly asksRules: boolean,
    private readonly ratchets: boolean,
  ) {}

  /**
   * What is wrong with an object but for its metadata, in steps. Rules in CEL are asked only of what they can be asked of.
   * @param object pruned, with defaults
   * @param old what is stored, in an update
   * @param isStatus only the status is written
   * @param found what is wrong with its metadata; default nothing
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
    // Most objects are right, and need not be compared with what is stored.
    if (errors.length > 0 && before) {
      prior = yield* inTurns(Prior.of(object as JsonObject, before as JsonObject, this.schema()));
      errors = yield* inTurns(judge(prior));
    }
    yield errors;
    if (!this.asksRules) return;
    // What is stored keeps working, whether new rules may name as much or not.
    this.#rules ??= new RuleValidator(this.schema().props, true, LATER_ENVIRONMENT);
    if (this.#rules.isEmpty) return;
    if (blocksRules(found) || blocksRules(errors)) yield [invalidValue(WHOLE, null, NOT_CHECKED)];
    else {
      // Only where a rule is broken, what is the same as before matters.
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

/** The end of steps, with nothing told between them. */
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
