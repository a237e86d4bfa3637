import { type FieldError, forbiddenField, internalError, invalidValue, VerbatimValue } from '@orch/machinery';
import { MAX } from '../cost/range.js';
import { BASE_ENVIRONMENT, type Environment } from '../environment.js';
import { declaredType } from '../schema-types/declared-type.js';
import {
  isEmbedded,
  type StructuralSchema,
  type ValidationRule,
  valueSchemaOf,
} from '../schema-types/structural-schema.js';
import { type CompiledExpression, compileRules, maxCardinality, SELF_TYPE } from './compile.js';
import { isCorrelatable } from './correlation.js';

/** Units that one rule may be estimated at. */
export const RULE_COST_LIMIT = 10_000_000n;
/** Units that all rules of one schema may be estimated at. */
export const SCHEMA_COST_LIMIT = 100_000_000n;
/** Dearest rules that are named where all together are too dear, and what share of the limit each must have. */
const MOST_NAMED = 4;
const NAMED_SHARE = 100n;

/** What the way down to a node says of it. */
interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** How many values of the node an object holds at most; undefined where that is not bounded. */
  readonly cardinality: bigint | undefined;
  /** Path of the node below which values before and after cannot be told to be the same ones. */
  readonly uncorrelatable: string | undefined;
  /** A node with rules above could not be declared. */
  readonly undeclarable: boolean;
}

/**
 * What is wrong with the rules of a schema that is otherwise valid: their form, their types, what they are estimated to cost,
 * and whether they can know values before (apiextensions, validation.go).
 * @param schema of a whole object
 * @param path of the schema in the definition
 * @param environment what rules may name; default that of release 1.27
 */
export function ruleErrors(schema: StructuralSchema, path: string, environment = BASE_ENVIRONMENT): FieldError[] {
  const check = new DefinitionCheck(environment);
  check.node(schema, { path, isRoot: true, cardinality: 1n, uncorrelatable: undefined, undeclarable: false });
  return [...check.errors, ...check.totalErrors(path)];
}

class DefinitionCheck {
  readonly errors: FieldError[] = [];
  #total = 0n;
  readonly #dear: { readonly path: string; readonly cost: bigint }[] = [];

  constructor(private readonly environment: Environment) {}

  node(schema: StructuralSchema, place: Place): void {
    const rules = schema['x-kubernetes-validations'] ?? [];
    const undeclarable = place.undeclarable || (rules.length > 0 && !declaredType(schema, place.isRoot, SELF_TYPE));
    const inner = { ...place, undeclarable, cardinality: innerCardinality(schema, place.cardinality) };
    this.#children(schema, inner);
    if (rules.length > 0) this.#rules(schema, rules, { ...place, undeclarable });
  }

  /** Errors of what all rules cost together, where that is too much. */
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

  #children(schema: StructuralSchema, inner: Place): void {
    const below = (child: StructuralSchema, path: string, uncorrelatable = inner.uncorrelatable) =>
      this.node(child, { ...inner, path: inner.path + path, isRoot: isEmbedded(child), uncorrelatable });
    const values = valueSchemaOf(schema);
    if (values) below(values, '.additionalProperties');
    const members = isCorrelatable(schema) ? inner.uncorrelatable : inner.path;
    for (const [name, property] of Object.entries(schema.properties ?? {}))
      below(property, `.properties[${name}]`, members);
    const items = schema['x-kubernetes-list-type'] === 'map' ? inner.uncorrelatable : inner.path;
    if (schema.items) below(schema.items, '.items', items);
  }

  #rules(schema: StructuralSchema, rules: readonly ValidationRule[], place: Place): void {
    const path = `${place.path}.x-kubernetes-validations`;
    const declared = place.undeclarable ? undefined : declaredType(schema, place.isRoot, SELF_TYPE);
    if (!declared) {
      const detail =
        'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
      this.errors.push(internalError(path, detail));
      return;
    }
    const cardinality = place.cardinality ?? maxCardinality(declared);
    for (const [i, { rule, test, message, isTransition }] of compileRules(
      rules,
      declared,
      this.environment,
    ).entries()) {
      if (test) this.#expression(`${path}[${i}].rule`, rule, test, { name: 'estimated rule cost', times: cardinality });
      const named = { name: 'estimated messageExpression cost', times: 1n };
      if (message) this.#expression(`${path}[${i}].messageExpression`, rule, message, named);
      if (isTransition && place.uncorrelatable !== undefined) {
        const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${place.uncorrelatable}`;
        this.errors.push(invalidValue(`${path}[${i}].rule`, rule.rule, detail));
      }
    }
  }

  #expression(
    path: string,
    rule: ValidationRule,
    expression: CompiledExpression,
    cost: { readonly name: string; readonly times: bigint },
  ): void {
    if (expression.error !== undefined) {
      this.errors.push(invalidValue(path, shownRule(rule), expression.error));
      return;
    }
    const estimated = capped(expression.maxCost * cost.times);
    if (estimated > RULE_COST_LIMIT)
      this.errors.push(forbiddenField(path, tooDear(cost.name, estimated, RULE_COST_LIMIT)));
    this.#total = capped(this.#total + estimated);
    if (estimated >= SCHEMA_COST_LIMIT / NAMED_SHARE) this.#dear.push({ path, cost: estimated });
  }
}

const capped = (cost: bigint): bigint => (cost > MAX ? MAX : cost);

/** The rule as the reference shows it. */
const shownRule = ({ rule, message = '', messageExpression = '' }: ValidationRule): VerbatimValue =>
  new VerbatimValue(
    `apiextensions.ValidationRule{Rule:${JSON.stringify(rule)}, Message:${JSON.stringify(message)}, MessageExpression:${JSON.stringify(messageExpression)}}`,
  );

/** How many values of what is in a node an object holds, of how many of the node. */
function innerCardinality(schema: StructuralSchema, outer: bigint | undefined): bigint | undefined {
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
