import { duplicate, type FieldError, forbiddenField, invalidValue, required } from '@orch/machinery';
import { BASE_ENVIRONMENT, type Environment } from '../environment.js';
import type { Activation } from '../evaluation/run.js';
import { declaredType } from '../schema-types/declared-type.js';
import { isRawObject, type Raw } from '../schema-types/native.js';
import { readerOf } from '../schema-types/reader.js';
import { isEmbedded, type SchemaProps, type ValidationRule, valueSchemaOf } from '../schema-types/structural-schema.js';
import type { ValueReader } from '../schema-types/value-reader.js';
import { NONE, OptionalValue } from '../values/optionals.js';
import { EvaluationBudget, Failure, type Value } from '../values/value.js';
import { type CompiledRule, PER_CALL_LIMIT, RuleCompiler } from './compile.js';
import { isCorrelatable, oldItems } from './correlation.js';
import { FieldPathError, fieldAt } from './field-path.js';
import { makeMessage, ruleMessage, ruleName } from './messages.js';

/** Units that all rules of a schema may cost on one object. */
export const PER_OBJECT_BUDGET = 10_000_000;

/** Result of a validation. */
export interface Validation {
  /** An error for each rule that is violated or could not be run. */
  readonly errors: FieldError[];
  /** Units that were spent of the budget. */
  readonly cost: number;
  /** Whether rules were skipped because the budget, or that of one call, was exhausted. */
  readonly exhausted: boolean;
}

/** Units of evaluation, and characters of compilation, in one step: both take about as long. */
const UNITS_AT_ONCE = 100_000;
const UNITS_OF_CHARACTER = 10;
/** Milliseconds after which a step ends, whatever was counted in it. */
const STEP_MS = 5;
/** Maximum number of rule runs on one object, whatever their cost: many are free. */
const MOST_RUNS = PER_OBJECT_BUDGET;
/** Units, or equivalent time, of visiting a value or a rule. */
const UNITS_OF_EACH = 20;
/** Limits of the errors of one run, and of the characters of all of them. */
const MOST_TOLD = 1_000;
const MOST_CHARACTERS = 1 << 20;
/** Steps that compilation is divided into, about. */
const STEPS_OF_COMPILING = 4;

/** Runs of rules on one value, or on several that share a budget. */
export class RuleRun {
  /** An error for each rule that is violated or could not be run. */
  readonly errors: FieldError[] = [];
  /** Whether rules were skipped because the budget, or that of one call, was exhausted. */
  exhausted = false;
  /** Effort that costs do not count, of all rules together. */
  readonly effort: EvaluationBudget;
  #work = 0;
  #ends = performance.now() + STEP_MS;
  #runs = 0;
  #characters = 0;

  /**
   * @param left units that all rules may cost
   * @param isUnchanged whether an update leaves an object or a list unchanged: rules that do not read old values may be
   * violated there. Default: never
   * @param compare computes that, in steps; run when a rule is violated, before `isUnchanged` is called
   */
  constructor(
    public left = PER_OBJECT_BUDGET,
    readonly isUnchanged?: (container: object) => boolean,
    readonly compare: () => Iterable<void> = () => [],
  ) {
    this.effort = new EvaluationBudget(left);
  }

  /** Counts work beside the budget. */
  work(units: number): void {
    this.#work += units;
  }

  /** Takes units from the budget. */
  spend(cost: number): void {
    this.left -= cost;
    this.work(cost);
  }

  /** Counts a rule to run, or a value visited for rules. */
  visit(): void {
    this.#runs++;
    this.#work += UNITS_OF_EACH;
  }

  /** Whether the maximum number of rule runs is exceeded. */
  get hasRunTooOften(): boolean {
    return this.#runs > MOST_RUNS;
  }

  /** Adds an error. One too many ends the run: the object is refused anyway. */
  tell(error: FieldError): void {
    if (this.exhausted) return;
    this.errors.push(error);
    this.#characters += error.message.length + error.field.length;
    if (this.errors.length < MOST_TOLD && this.#characters <= MOST_CHARACTERS) return;
    this.errors.push(invalidValue('', '', 'more is wrong than can be told'));
    this.exhausted = true;
  }

  /** Ends a step; the next begins after other work. */
  *pause(): Iterable<void> {
    yield;
    this.#work = 0;
    this.#ends = performance.now() + STEP_MS;
  }

  /** Whether it is time for other work. */
  get isStepOver(): boolean {
    return this.#work >= UNITS_AT_ONCE || performance.now() >= this.#ends;
  }
}

/**
 * Runs the rules of a schema on values; immutable and meant to be shared. Each rule is compiled on first use, once for
 * all validators of the same schema: programs are cached with it.
 */
export class RuleValidator {
  /**
   * @param isRoot it is the schema of a whole object
   * @param environment what rules may name; default that of release 1.27
   */
  constructor(
    private readonly schema: SchemaProps,
    private readonly isRoot = true,
    private readonly environment = BASE_ENVIRONMENT,
  ) {}

  /** Whether the schema has any rules. */
  get isEmpty(): boolean {
    return this.#rulesOf(this.schema) === undefined;
  }

  /**
   * Finds the violated rules.
   * @param value as JSON, pruned and with defaults
   * @param old the value before; undefined on creation, where transition rules are not run
   * @param path of the value, in errors; empty for a whole object
   */
  validate(value: Raw, old: Raw, path = '', budget = PER_OBJECT_BUDGET): Validation {
    const run = new RuleRun(budget);
    for (const _ of this.steps(run, value, old, path));
    return { errors: run.errors, cost: budget - Math.max(0, run.left), exhausted: run.exhausted };
  }

  /**
   * Same in steps of some milliseconds, into a run.
   * @param part of the schema that the value is of; default the whole
   */
  *steps(run: RuleRun, value: Raw, old: Raw, path = '', part = this.schema): Iterable<void> {
    const rules = this.#rulesOf(part);
    if (rules && !run.exhausted) yield* rules.steps(run, path, value, old);
  }

  #rulesOf(part: SchemaProps): NodeRules | undefined {
    return nodeRules(part, part === this.schema ? this.isRoot : isEmbedded(part), this.environment);
  }
}

const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** The rules of schemas, null if there are none, for each environment: of whole objects, and of other values. */
const known = new WeakMap<Environment, readonly [root: KnownRules, other: KnownRules]>();
type KnownRules = WeakMap<SchemaProps, NodeRules | null>;

/** Returns the rules of a node and those below it; undefined if there are none. */
function nodeRules(schema: SchemaProps, isRoot: boolean, environment: Environment): NodeRules | undefined {
  let pair = known.get(environment);
  if (!pair) {
    pair = [new WeakMap(), new WeakMap()];
    known.set(environment, pair);
  }
  const nodes = pair[isRoot ? 0 : 1];
  let rules = nodes.get(schema);
  if (rules === undefined) {
    rules = makeRules(schema, isRoot, environment) ?? null;
    nodes.set(schema, rules);
  }
  return rules ?? undefined;
}

function makeRules(schema: SchemaProps, isRoot: boolean, environment: Environment): NodeRules | undefined {
  const below = (inner: SchemaProps | undefined) => inner && nodeRules(inner, isEmbedded(inner), environment);
  const properties = new Map<string, NodeRules>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const rules = below(property);
    if (rules) properties.set(name, rules);
  }
  const items = below(schema.items);
  const values = below(valueSchemaOf(schema));
  const hasOwn = (schema['x-kubernetes-validations'] ?? []).length > 0;
  if (!hasOwn && !items && !values && properties.size === 0) return undefined;
  return new NodeRules(schema, { isRoot, environment }, properties, items, values);
}

class NodeRules {
  readonly #rules: readonly ValidationRule[];
  readonly #compiled: CompiledRule[] = [];
  #compiler: RuleCompiler | undefined;
  #reader: ValueReader | undefined;

  constructor(
    private readonly schema: SchemaProps,
    private readonly setting: { readonly isRoot: boolean; readonly environment: Environment },
    private readonly properties: ReadonlyMap<string, NodeRules>,
    private readonly items: NodeRules | undefined,
    private readonly values: NodeRules | undefined,
  ) {
    this.#rules = schema['x-kubernetes-validations'] ?? [];
  }

  get #asksMembers(): boolean {
    return this.values !== undefined || this.properties.size > 0;
  }

  /** @param around position of the value's parent */
  *steps(run: RuleRun, path: string, value: Raw, old: Raw, around?: ValuePosition): Iterable<void> {
    if (value === null || value === undefined) return;
    run.visit();
    if (run.isStepOver) yield* run.pause();
    const here = { value, old, around };
    if (this.#rules.length > 0) yield* this.#runRules(run, path, here);
    if (run.exhausted) return;
    if (Array.isArray(value)) yield* this.#itemSteps(run, path, value, here);
    else if (this.#asksMembers && isRawObject(value)) yield* this.#memberSteps(run, path, value, here);
  }

  *#itemSteps(run: RuleRun, path: string, items: readonly Raw[], here: ValuePosition): Iterable<void> {
    if (!this.items) return;
    const before = yield* oldItems(this.schema, here.old, run);
    for (const [i, item] of items.entries()) {
      if (run.exhausted) return;
      yield* this.items.steps(run, `${path}[${i}]`, item, before(item), here);
    }
  }

  *#memberSteps(run: RuleRun, path: string, value: Readonly<Record<string, Raw>>, here: ValuePosition): Iterable<void> {
    const { old } = here;
    const before = isCorrelatable(this.schema) && isRawObject(old) ? old : {};
    for (const name of Object.keys(value)) {
      const property = this.properties.get(name);
      if (!property && !this.values) continue;
      const member = value[name];
      const previous = Object.hasOwn(before, name) ? before[name] : undefined;
      if (this.values && !run.exhausted) yield* this.values.steps(run, `${path}[${name}]`, member, previous, here);
      if (property && !run.exhausted) yield* property.steps(run, child(path, name), member, previous, here);
    }
  }

  *#runRules(run: RuleRun, path: string, here: ValuePosition): Iterable<void> {
    const { value } = here;
    const old = here.old ?? undefined;
    if (run.left <= 0) {
      this.#stop(run, path, OUT_OF_BUDGET);
      return;
    }
    this.#reader ??= readerOf(this.schema, this.setting.isRoot);
    const self = this.#reader(value);
    const before = old === undefined ? undefined : this.#reader(old);
    const plain = new Map<string, Value>([['self', self]]);
    if (before !== undefined) plain.set('oldSelf', before);
    let optional: Activation | undefined;
    for (let i = 0; i < this.#rules.length; i++) {
      if (run.hasRunTooOften) {
        this.#stop(run, path, OUT_OF_BUDGET);
        return;
      }
      run.visit();
      const rule = this.#compiled[i] ?? (yield* this.#compile(i, run));
      const isOptional = rule?.rule.optionalOldSelf ?? false;
      const asks = rule && (!rule.isTransition || before !== undefined || isOptional);
      if (isOptional) optional ??= optionalBindings(self, before);
      const bindings = (isOptional && optional) || plain;
      if (asks && this.#isBroken(run, path, rule, bindings)) {
        yield* run.compare();
        if (rule.isTransition || !isSettled(run, here)) this.#tellBroken(run, path, rule, bindings);
      }
      if (run.exhausted) return;
      if (run.isStepOver) yield* run.pause();
    }
  }

  /** Runs a rule. Reports errors of running it; returns whether it is violated. */
  #isBroken(run: RuleRun, path: string, { rule, test }: CompiledRule, bindings: Activation): boolean {
    if (test === undefined) return false;
    if (test.error !== undefined) {
      this.#tell(run, path, `rule compile error: Invalid: ${test.error}`);
      return false;
    }
    const effort = run.effort.ofOne();
    const { value, cost, exceeded } = test.program.evaluate(bindings, Math.min(PER_CALL_LIMIT, run.left), effort);
    run.work(effort.spent);
    if (cost > run.left) {
      this.#stop(run, path, OUT_OF_BUDGET);
      return false;
    }
    run.spend(cost);
    if (!(value instanceof Failure)) return value !== true;
    this.#tellFailure(run, path, value, ruleName(rule), exceeded);
    return false;
  }

  #tellBroken(run: RuleRun, path: string, { rule, message }: CompiledRule, bindings: Activation): void {
    if (!message?.program) {
      run.tell(this.#broken(path, rule, ruleMessage(rule)));
      return;
    }
    const made = makeMessage(message.program, rule.messageExpression ?? '', bindings, run);
    if (made.stop !== undefined) {
      this.#stop(run, path, made.stop);
      return;
    }
    run.spend(made.cost);
    run.tell(this.#broken(path, rule, made.text ?? ruleMessage(rule)));
  }

  /** Returns the error of a violated rule, in its own words and at its field path. */
  #broken(path: string, rule: ValidationRule, detail: string): FieldError {
    const field = this.#blamed(path, rule);
    switch (rule.reason) {
      case 'FieldValueForbidden':
        return forbiddenField(field, detail);
      case 'FieldValueRequired':
        return required(field, detail);
      case 'FieldValueDuplicate':
        return duplicate(field, this.schema.type ?? '');
      default:
        return invalidValue(field, this.schema.type ?? '', detail);
    }
  }

  #blamed(path: string, { fieldPath }: ValidationRule): string {
    if (fieldPath === undefined) return path;
    try {
      return child(path, fieldAt(fieldPath, this.schema).text);
    } catch (error) {
      if (error instanceof FieldPathError) return path;
      throw error;
    }
  }

  #tellFailure(run: RuleRun, path: string, { message }: Failure, rule: string, exceeded: boolean): void {
    if (exceeded) {
      const detail = `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
      this.#stop(run, path, detail);
      return;
    }
    const isOverload = message.startsWith('no such overload');
    const detail = isOverload
      ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
      : `${message} evaluating rule: ${rule}`;
    this.#tell(run, path, detail);
  }

  /** Undefined on what cannot be declared: definitions with such rules are refused, so no stored object has them. */
  *#compile(index: number, run: RuleRun): Generator<void, CompiledRule | undefined> {
    const rule = this.#rules[index] as ValidationRule;
    if (!this.#compiler) {
      const declared = declaredType(this.schema, this.setting.isRoot);
      if (!declared) return undefined;
      this.#compiler = new RuleCompiler(declared, this.setting.environment);
    }
    const units = UNITS_OF_CHARACTER * (rule.rule.length + (rule.messageExpression?.length ?? 0));
    const steps = this.#compiler.steps(rule);
    for (;;) {
      const { done, value } = steps.next();
      if (done) {
        this.#compiled[index] = value;
        return value;
      }
      run.work(units / STEPS_OF_COMPILING);
      if (run.isStepOver) yield* run.pause();
    }
  }

  #tell(run: RuleRun, path: string, detail: string): void {
    run.tell(invalidValue(path, this.schema.type ?? '', detail));
  }

  #stop(run: RuleRun, path: string, detail: string): void {
    this.#tell(run, path, detail);
    run.exhausted = true;
  }
}

/** Variables of rules that are run for creations too. */
const optionalBindings = (self: Value, before: Value | undefined): Activation =>
  new Map<string, Value>([
    ['self', self],
    ['oldSelf', before === undefined ? NONE : new OptionalValue(before)],
  ]);

/** A value under validation, with its old value and the position of its parent. */
interface ValuePosition {
  readonly value: Raw;
  readonly old: Raw;
  readonly around: ValuePosition | undefined;
}

/** Whether an update leaves a value unchanged, or its closest correlatable ancestor. */
function isSettled({ isUnchanged }: RuleRun, { value, old, around }: ValuePosition): boolean {
  if (!isUnchanged) return false;
  if (old !== undefined && old === value) return true;
  const isKept = (each: Raw): boolean => typeof each === 'object' && each !== null && isUnchanged(each);
  if (isKept(value)) return true;
  for (let outer = around; outer; outer = outer.around) if (isKept(outer.value)) return true;
  return false;
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';
