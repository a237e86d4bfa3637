import { type FieldError, invalidValue, notSupported, required, shownUntyped, tooMany } from '@orch/machinery';
import { type Effort, TooManyComparisons, TooManySteps } from './effort.js';
import { type Finding, Findings, type Place } from './findings.js';
import { isContainer, isObject, type Json, sizeOf } from './json.js';
import type { Prior } from './prior.js';
import { checkNumber, checkText, isGiven, refused, typeFault, wrongType } from './scalar-validation.js';
import type { Steps } from './steps.js';
import type { StructuralSchema } from './structural-schema.js';
import type { ValueRules } from './value-rules.js';

/** Options of a validation. */
export interface ValidationOptions {
  /** Path of the value; default '' for a whole object. */
  readonly base?: string;
  /** Budget of the validation. */
  readonly effort: Effort;
  /** Validates a default against the schema as it is written: unknown formats are types of their own there. */
  readonly isDefault?: boolean;
  /** Values that an update leaves unchanged, for which nothing is reported. */
  readonly prior?: Prior | undefined;
}

/**
 * Validates a value against a schema, but for rules in CEL, for lists that are sets or maps, and for embedded objects.
 * Messages, paths and their order are those of the reference.
 */
export function* validateValue(
  schema: StructuralSchema,
  value: unknown,
  options: ValidationOptions,
): Steps<FieldError[]> {
  const { base = '', effort, isDefault = false, prior } = options;
  const findings = new Findings(base, effort);
  try {
    yield* new Validation(findings, effort, isDefault, prior).value(schema, value);
    return findings.errors();
  } catch (error) {
    if (!(error instanceof TooManyComparisons || error instanceof TooManySteps)) throw error;
    return [invalidValue(findings.whole, '', error.message)];
  }
}

/**
 * Each method reports its findings and returns how many checks applied: of several alternatives that all fail, the one
 * with the most is reported.
 */
class Validation {
  constructor(
    private readonly findings: Findings,
    private readonly effort: Effort,
    private readonly isDefault: boolean,
    private prior: Prior | undefined,
  ) {}

  *value(schema: StructuralSchema, value: unknown): Steps<number> {
    if (this.effort.endsStep()) yield;
    const { rules } = schema;
    if (isLeaf(rules, value)) return this.#leaf(schema, value);
    this.effort.compare(rules.cost);
    let count = COMMON + this.#type(rules, value);
    if (rules.combined) count += yield* this.#combined(rules, value);
    count += this.#scalar(rules, value);
    if (Array.isArray(value)) count += 2 + (yield* this.#list(schema, rules, value));
    this.#enum(rules, value);
    if (isObject(value)) count += 1 + (yield* this.#object(schema, rules, value));
    return count;
  }

  /** Checks a leaf; most values are such, and all of an object are checked at once. */
  #leaf(schema: StructuralSchema, value: unknown): number {
    const { rules } = schema;
    this.effort.compare(rules.cost);
    if (value === null) return this.#null(schema, rules);
    const count = COMMON + this.#type(rules, value) + this.#scalar(rules, value);
    this.#enum(rules, value);
    return count;
  }

  #null({ nullable, props }: StructuralSchema, rules: ValueRules): number {
    const types = this.#typesOf(rules);
    const wrong = types.length > 0 && !nullable && props.type !== 'null';
    if (wrong) this.findings.report((place) => wrongType(place, { wanted: types.join(','), found: 'null' }));
    this.#enum(rules, null);
    return wrong ? 0 : 1;
  }

  /** Types of a value. For defaults only the written type counts: integers or strings have none. */
  #typesOf({ types, props }: ValueRules): readonly string[] {
    return this.isDefault && props['x-kubernetes-int-or-string'] === true ? (props.type ? [props.type] : []) : types;
  }

  #formatOf({ format, props }: ValueRules): string {
    return this.isDefault ? (props.format ?? '') : format;
  }

  #type(rules: ValueRules, value: unknown): number {
    const [types, format] = [this.#typesOf(rules), this.#formatOf(rules)];
    if (types.length === 0 && format === '') return 0;
    const fault = typeFault(types, format, value);
    if (fault) this.findings.report((place) => wrongType(place, fault));
    return fault ? 1 : 2;
  }

  #scalar(rules: ValueRules, value: unknown): number {
    if (typeof value === 'string') {
      checkText(rules, this.#formatOf(rules), value, this.findings, this.effort);
      return rules.format === '' ? 1 : 2;
    }
    if (typeof value !== 'number' && typeof value !== 'bigint') return 0;
    checkNumber(rules, value, this.findings);
    return 2;
  }

  #enum({ enum: known }: ValueRules, value: unknown): void {
    if (!known) return;
    this.effort.compare(known.comparisons * sizeOf(value));
    if (known.has(value)) return;
    this.effort.compare(known.size);
    this.findings.report(({ field }) => notSupported(field, shownUntyped(value), known.shown));
  }

  *#list({ items }: StructuralSchema, { props }: ValueRules, value: readonly unknown[]): Steps<number> {
    const { maxItems: most, minItems: least } = props;
    let count = 0;
    for (let at = 0; items && at < value.length; at++) {
      const item = value[at];
      if (isContainer(item) && this.prior?.isUnchanged(item)) continue;
      this.findings.enter(at);
      const isOne = isLeaf(items.rules, value[at]) && !this.effort.isSpent;
      count += isOne ? this.#leaf(items, value[at]) : yield* this.value(items, value[at]);
      this.findings.leave();
    }
    const { length } = value;
    if (isGiven(least) && length < least)
      this.findings.report((place) => refused(place, length, `should have at least ${least} items`));
    if (isGiven(most) && length > most) this.findings.report(({ field }) => tooMany(field, length, Number(most)));
    return count;
  }

  *#object(schema: StructuralSchema, rules: ValueRules, value: Json): Steps<number> {
    if (!this.#size(rules, value)) return 0;
    const names = Object.keys(value);
    const [root, others, isClosed] = [
      this.findings.isAtRoot,
      schema.others,
      schema.props.additionalProperties === false,
    ];
    let count = 0;
    for (const name of others || isClosed ? names : NO_NAMES) {
      if (schema.property(name)) continue;
      if (isClosed) this.#unallowed(name);
      if (others)
        count +=
          this.#leafAt(others, root ? `.${name}` : name, value, name) ??
          (yield* this.#member(others, root ? `.${name}` : name, value, name));
    }
    for (const name of names) {
      const property = schema.property(name);
      if (property)
        count += this.#leafAt(property, name, value, name) ?? (yield* this.#member(property, name, value, name));
    }
    for (const name of rules.required) if (!Object.hasOwn(value, name)) this.#required(name);
    return count;
  }

  /** Undefined for no leaf, or when the step is over. @param shown the name in paths */
  #leafAt(schema: StructuralSchema, shown: string, object: Json, name: string): number | undefined {
    const isType = this.findings.isAtRoot && (name === 'apiVersion' || name === 'kind');
    if (this.prior?.keeps(object, name) && !isType) return COMMON;
    const value = object[name];
    if (!isLeaf(schema.rules, value) || this.effort.isSpent) return undefined;
    this.findings.enter(shown);
    const count = this.#leaf(schema, value);
    this.findings.leave();
    return count;
  }

  *#member(schema: StructuralSchema, shown: string, object: Json, name: string): Steps<number> {
    this.findings.enter(shown);
    const count = yield* this.value(schema, object[name]);
    this.findings.leave();
    return count;
  }

  #required(name: string): void {
    this.findings.enter(name);
    this.findings.report(({ field }) => required(field));
    this.findings.leave();
  }

  #unallowed(name: string): void {
    const forbidden = (place: Place) =>
      invalidValue(place.field, name, `${place.name}.${name} in body is a forbidden property`);
    this.findings.report(forbidden, 2 * name.length);
  }

  /** Checks an object's size; the members of one of a wrong size are not checked. */
  #size({ props }: ValueRules, value: Json): boolean {
    const { maxProperties: most, minProperties: least } = props;
    if (!isGiven(most) && !isGiven(least)) return true;
    const size = Object.keys(value).length;
    if (isGiven(least) && size < least) {
      this.findings.report((place) => refused(place, size, `should have at least ${least} properties`));
      return false;
    }
    if (!isGiven(most) || size <= most) return true;
    this.findings.report(({ field }) => tooMany(field, size, Number(most)));
    return false;
  }

  *#combined(rules: ValueRules<StructuralSchema>, value: unknown): Steps<number> {
    let count = yield* this.#any(rules.anyOf, value);
    count += yield* this.#one(rules.oneOf, value);
    count += yield* this.#all(rules.allOf, value);
    if (rules.not && (yield* this.#attempt(rules.not, value)).found.length === 0)
      this.#composite('must not validate the schema (not)');
    return count;
  }

  #composite(text: string): void {
    const { whole } = this.findings;
    this.findings.report(({ name }) => invalidValue(whole, '', `"${name}" ${text}`));
  }

  *#attempt(schema: StructuralSchema, value: unknown): Steps<Attempt> {
    const before = this.findings.aside();
    const { prior } = this;
    // With several schemas for one value none is laxer because parts of the value are unchanged.
    this.prior = undefined;
    const count = yield* this.value(schema, value);
    this.prior = prior;
    const found = this.findings.aside();
    this.findings.list = before;
    return { count, found };
  }

  *#any(schemas: readonly StructuralSchema[], value: unknown): Steps<number> {
    let best: Attempt | undefined;
    for (const schema of schemas) {
      const attempt = yield* this.#attempt(schema, value);
      if (attempt.found.length === 0) return attempt.count;
      if (!best || attempt.count > best.count) best = attempt;
    }
    if (!best) return 0;
    this.#composite('must validate at least one schema (anyOf)');
    return this.#take(best);
  }

  *#one(schemas: readonly StructuralSchema[], value: unknown): Steps<number> {
    let best: Attempt | undefined;
    const valid: Attempt[] = [];
    for (const schema of schemas) {
      const attempt = yield* this.#attempt(schema, value);
      if (attempt.found.length === 0) valid.push(attempt);
      else if (!best || attempt.count > best.count) best = attempt;
    }
    if (schemas.length === 0) return 0;
    if (valid.length === 1) return valid[0]?.count ?? 0;
    const found = valid.length === 0 ? 'none valid' : `${valid.length} valid alternatives`;
    this.#composite(`must validate one and only one schema (oneOf). Found ${found}`);
    return valid.length === 0 && best ? this.#take(best) : 0;
  }

  *#all(schemas: readonly StructuralSchema[], value: unknown): Steps<number> {
    let [count, valid] = [0, 0];
    for (const schema of schemas) {
      const attempt = yield* this.#attempt(schema, value);
      if (attempt.found.length === 0) valid++;
      count += this.#take(attempt);
    }
    if (valid < schemas.length)
      this.#composite(`must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
    return count;
  }

  #take({ count, found }: Attempt): number {
    this.findings.take(found);
    return count;
  }
}

const NO_NAMES: readonly string[] = [];

/** Checks that every value but null undergoes. */
const COMMON = 4;

/** Whether a value needs no further checks, nor by other schemas. */
const isLeaf = (rules: ValueRules, value: unknown): boolean =>
  value === null || (typeof value !== 'object' && !rules.combined);

interface Attempt {
  readonly count: number;
  readonly found: readonly Finding[];
}
