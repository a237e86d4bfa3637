import { type FieldError, forbiddenField, internalError, invalidValue, VerbatimValue } from '@orch/machinery';
import { MAX } from '../cost/range.js';
import { BASE_ENVIRONMENT } from '../environment.js';
import { type DeclaredType, declaredType, partOf } from '../schema-types/declared-type.js';
import { escapeName } from '../schema-types/escape.js';
import { isEmbedded, type SchemaProps, type ValidationRule, valueSchemaOf } from '../schema-types/structural-schema.js';
import {
  type CompiledExpression,
  type CompiledRule,
  type EnvironmentOf,
  maxCardinality,
  RuleCompiler,
} from './compile.js';
import { isCorrelatable } from './correlation.js';

/** Units that one rule may be estimated at. */
export const RULE_COST_LIMIT = 10_000_000n;
/** Units that all rules of one schema may be estimated at. */
export const SCHEMA_COST_LIMIT = 100_000_000n;
/** Most expensive rules that are named when the total is too high, and the share of the limit that each must have. */
const MOST_NAMED = 4;
const NAMED_SHARE = 100n;

/** Characters of expressions that are compiled in one step. */
const CHARACTERS_AT_ONCE = 8_192;
/** Each expression costs some work, however short it is. */
const CHARACTERS_OF_EACH = 64;

/** Characters of errors, more than answers contain, that are kept complete, and characters of each later one. */
const CHARACTERS_OF_ERRORS = 1 << 18;
const CHARACTERS_OF_LATER = 100;

/** Position of a node, derived from its ancestors. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** Maximum number of values of the node in an object; undefined if that is not bounded. */
  readonly cardinality: bigint | undefined;
  /** Path of the node below which values before and after cannot be correlated. */
  readonly uncorrelatable: string | undefined;
  /** Set if there are rules above: `failed` if the parent could not be declared for them. */
  readonly around: DeclaredType | 'failed' | undefined;
  /** The node's declaration within that of its parent. */
  readonly declared: DeclaredType | undefined;
}

/** Environment and selection of the rules to check. */
interface RuleErrorOptions {
  /** Environments of rules and their messages, by their texts; default that of release 1.27. */
  readonly environmentOf?: EnvironmentOf;
  /** Whether rules on the schema at a path are skipped; default none. */
  readonly skips?: (path: string) => boolean;
}

/**
 * Finds errors in the rules of an otherwise valid schema: their types, their estimated costs, and whether they can
 * refer to old values (apiextensions, validation.go). Runs in steps, each of which compiles a few kilobytes of
 * expressions, or does a part of the work on a long one.
 * @param schema of a whole object
 * @param path of the schema in the definition
 */
export function* ruleErrors(
  schema: SchemaProps,
  path: string,
  { environmentOf = () => BASE_ENVIRONMENT, skips = () => false }: RuleErrorOptions = {},
): Iterable<FieldError[]> {
  const check = new DefinitionCheck(environmentOf, skips);
  const root = {
    path,
    isRoot: true,
    cardinality: 1n,
    uncorrelatable: undefined,
    around: undefined,
    declared: undefined,
  };
  yield* check.node(schema, root);
  yield [...check.taken(), ...check.totalErrors(path)];
}

class DefinitionCheck {
  #errors: FieldError[] = [];
  #characters = 0;
  #room = CHARACTERS_OF_ERRORS;
  #total = 0n;
  readonly #dear: { readonly path: string; readonly cost: bigint }[] = [];

  constructor(
    private readonly environmentOf: EnvironmentOf,
    private readonly skips: (path: string) => boolean,
  ) {}

  /** Returns the errors found since the last call. */
  taken(): FieldError[] {
    const errors = this.#errors;
    this.#errors = [];
    this.#characters = 0;
    return errors;
  }

  *node(schema: SchemaProps, place: Place): Iterable<FieldError[]> {
    const { 'x-kubernetes-validations': all = [] } = schema;
    const rules = all.length > 0 && this.skips(place.path) ? [] : all;
    const declared = declaredAt(schema, place, rules.length > 0);
    yield* this.#children(schema, place, declared);
    if (rules.length === 0) return;
    if (declared === undefined || declared === 'failed') {
      const detail =
        'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
      this.#errors.push(internalError(`${place.path}.x-kubernetes-validations`, detail));
    } else yield* this.#rules(rules, place, declared);
  }

  /** Returns errors about the total cost of all rules, if it is too high. */
  totalErrors(path: string): FieldError[] {
    if (this.#total <= SCHEMA_COST_LIMIT) return [];
    const dearest = this.#dear.toSorted((a, b) => (a.cost > b.cost ? -1 : 1)).slice(0, MOST_NAMED);
    const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const total = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...dearest.map((rule) => forbiddenField(rule.path, contributed)),
      forbiddenField(path, tooDear(total, this.#total, SCHEMA_COST_LIMIT)),
    ];
  }

  *#children(schema: SchemaProps, place: Place, around: Place['around']): Iterable<FieldError[]> {
    const inner = { ...place, around, cardinality: innerCardinality(schema, place.cardinality) };
    const below = (child: SchemaProps, path: string, part: string, uncorrelatable = inner.uncorrelatable) => {
      const declared = around === undefined || around === 'failed' ? undefined : partOf(around, part);
      return this.node(child, {
        ...inner,
        path: inner.path + path,
        isRoot: isEmbedded(child),
        uncorrelatable,
        declared,
      });
    };
    const values = valueSchemaOf(schema);
    if (values) yield* below(values, '.additionalProperties', '@values');
    const members = isCorrelatable(schema) ? undefined : inner.path;
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      yield* below(property, `.properties[${name}]`, escapeName(name) ?? '', inner.uncorrelatable ?? members);
    const items = schema['x-kubernetes-list-type'] === 'map' ? undefined : inner.path;
    if (schema.items) yield* below(schema.items, '.items', '@items', inner.uncorrelatable ?? items);
  }

  *#rules(rules: readonly ValidationRule[], place: Place, declared: DeclaredType): Iterable<FieldError[]> {
    const compiler = new RuleCompiler(declared, this.environmentOf);
    const cardinality = place.cardinality ?? maxCardinality(declared);
    for (const [i, rule] of rules.entries()) {
      const characters = CHARACTERS_OF_EACH + rule.rule.length + (rule.messageExpression?.length ?? 0);
      if (this.#characters + characters > CHARACTERS_AT_ONCE) yield this.taken();
      this.#characters += characters;
      const compiled = characters > CHARACTERS_AT_ONCE ? yield* this.#long(compiler, rule) : compiler.compile(rule);
      this.#rule(compiled, `${place.path}.x-kubernetes-validations[${i}]`, cardinality, place);
    }
  }

  *#long(compiler: RuleCompiler, rule: ValidationRule): Generator<FieldError[], CompiledRule> {
    const steps = compiler.steps(rule);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
      yield [];
    }
  }

  #rule(
    { rule, test, message, isTransition }: CompiledRule,
    path: string,
    times: bigint,
    { uncorrelatable }: Place,
  ): void {
    if (test) this.#expression(`${path}.rule`, rule, test, { name: 'estimated rule cost', times });
    const named = { name: 'estimated messageExpression cost', times: 1n };
    if (message) this.#expression(`${path}.messageExpression`, rule, message, named);
    if (!isTransition && test && rule.optionalOldSelf !== undefined) {
      const detail = 'may not be set if oldSelf is not used in rule';
      this.#errors.push(invalidValue(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail));
    }
    if (!isTransition || uncorrelatable === undefined) return;
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    this.#errors.push(invalidValue(`${path}.rule`, rule.rule, detail));
  }

  #expression(
    path: string,
    rule: ValidationRule,
    expression: CompiledExpression,
    cost: { readonly name: string; readonly times: bigint },
  ): void {
    if (expression.error !== undefined) {
      this.#errors.push(invalidValue(path, shownRule(rule), this.#told(expression.error)));
      return;
    }
    const estimated = capped(expression.maxCost * cost.times);
    if (estimated > RULE_COST_LIMIT)
      this.#errors.push(forbiddenField(path, tooDear(cost.name, estimated, RULE_COST_LIMIT)));
    this.#total = capped(this.#total + estimated);
    if (estimated >= SCHEMA_COST_LIMIT / NAMED_SHARE) this.#dear.push({ path, cost: estimated });
  }

  /** Shortens a compiler's message, which repeats the expression for each fault, for all but the first of many. */
  #told(error: string): string {
    this.#room -= error.length;
    return this.#room >= 0 ? error : error.slice(0, CHARACTERS_OF_LATER);
  }
}

/** Returns the declaration of a node, if rules on it or above need one; its parent may have one already. */
function declaredAt(schema: SchemaProps, place: Place, hasRules: boolean): Place['around'] {
  if (place.around === undefined && !hasRules) return undefined;
  if (place.around === 'failed') return 'failed';
  return place.declared ?? declaredType(schema, place.isRoot) ?? 'failed';
}

const capped = (cost: bigint): bigint => (cost > MAX ? MAX : cost);

/** Formats the rule as the reference does. */
const shownRule = ({ rule, message = '', messageExpression = '' }: ValidationRule): VerbatimValue =>
  new VerbatimValue(
    `apiextensions.ValidationRule{Rule:${JSON.stringify(rule)}, Message:${JSON.stringify(message)}, MessageExpression:${JSON.stringify(messageExpression)}}`,
  );

/** Returns the maximum number of values within a node in an object, given the number of nodes. */
function innerCardinality(schema: SchemaProps, outer: bigint | undefined): bigint | undefined {
  const bound = (count: number | bigint | undefined) =>
    count === undefined || outer === undefined ? undefined : capped(outer * BigInt(Math.max(0, Number(count))));
  if (schema.type === 'array') return bound(schema.maxItems);
  if (schema.type === 'object' && schema.additionalProperties !== undefined) return bound(schema.maxProperties);
  return outer;
}

function tooDear(name: string, cost: bigint, limit: bigint): string {
  const factor = Number(cost) / Number(limit);
  const shown = factor > 100 ? 'more than 100x' : `${factor.toFixed(factor < 1.5 ? 6 : 1)}x`;
  return `${name} exceeds budget by factor of ${shown} (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`;
}
