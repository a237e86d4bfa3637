import { type FieldError, invalidValue } from '@orch/machinery';
import { BASE_ENVIRONMENT, type Environment } from '../environment.js';
import type { Bindings } from '../evaluation/run.js';
import { declaredType } from '../schema-types/declared-type.js';
import { isRawObject, type Raw } from '../schema-types/native.js';
import { type Reader, readerOf } from '../schema-types/reader.js';
import { isEmbedded, type StructuralSchema, valueSchemaOf } from '../schema-types/structural-schema.js';
import { Failure, type Value } from '../values/value.js';
import { type CompiledRule, compileRules, PER_CALL_LIMIT, SELF_TYPE } from './compile.js';
import { isCorrelatable, oldItems } from './correlation.js';
import { makeMessage, ruleMessage, ruleName } from './messages.js';

/** Units that all rules of a schema may cost on one object. */
export const PER_OBJECT_BUDGET = 10_000_000;

/** What a validation came to. */
export interface Validation {
  /** One for each rule that does not hold or could not be run. */
  readonly errors: FieldError[];
  /** Units that were spent of the budget. */
  readonly cost: number;
  /** Rules were left out because the budget, or that of one call, was spent. */
  readonly exhausted: boolean;
}

/** Runs the rules of a schema on values; immutable and meant to be shared. Each rule is compiled when it is first needed. */
export class RuleValidator {
  readonly #root: NodeRules | undefined;

  /**
   * @param isRoot it is the schema of a whole object
   * @param environment what rules may name; default that of release 1.27
   */
  constructor(schema: StructuralSchema, isRoot = true, environment = BASE_ENVIRONMENT) {
    this.#root = nodeRules(schema, isRoot, environment);
  }

  /** Whether the schema has any rules. */
  get isEmpty(): boolean {
    return this.#root === undefined;
  }

  /**
   * Tells which rules do not hold.
   * @param value as JSON, pruned and with defaults
   * @param old the value before; undefined on creation, where rules on transitions are not run
   * @param path of the value, in errors; empty for a whole object
   */
  validate(value: Raw, old: Raw, path = '', budget = PER_OBJECT_BUDGET): Validation {
    const pass: Pass = { errors: [], left: budget, stopped: false };
    this.#root?.validate(pass, path, value, old);
    return { errors: pass.errors, cost: budget - Math.max(0, pass.left), exhausted: pass.stopped };
  }
}

/** What one validation has come to so far. */
interface Pass {
  readonly errors: FieldError[];
  left: number;
  stopped: boolean;
}

const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Rules of a node and those below it; undefined where there are none. */
function nodeRules(schema: StructuralSchema, isRoot: boolean, environment: Environment): NodeRules | undefined {
  const below = (inner: StructuralSchema | undefined) => inner && nodeRules(inner, isEmbedded(inner), environment);
  const properties = new Map<string, NodeRules>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const rules = below(property);
    if (rules) properties.set(name, rules);
  }
  const items = below(schema.items);
  const values = below(valueSchemaOf(schema));
  const hasOwn = (schema['x-kubernetes-validations'] ?? []).length > 0;
  return hasOwn || items || values || properties.size > 0
    ? new NodeRules(schema, { isRoot, environment }, properties, items, values)
    : undefined;
}

class NodeRules {
  #compiled: readonly CompiledRule[] | string | undefined;
  #reader: Reader | undefined;

  constructor(
    private readonly schema: StructuralSchema,
    private readonly setting: { readonly isRoot: boolean; readonly environment: Environment },
    private readonly properties: ReadonlyMap<string, NodeRules>,
    private readonly items: NodeRules | undefined,
    private readonly values: NodeRules | undefined,
  ) {}

  validate(pass: Pass, path: string, value: Raw, old: Raw): void {
    if (value === null || value === undefined) return;
    this.#runRules(pass, path, value, old ?? undefined);
    if (pass.stopped) return;
    if (Array.isArray(value)) this.#validateItems(pass, path, value, old);
    else if (isRawObject(value)) this.#validateMembers(pass, path, value, old);
  }

  #validateItems(pass: Pass, path: string, items: readonly Raw[], old: Raw): void {
    if (!this.items) return;
    const before = oldItems(this.schema, old);
    for (const [i, item] of items.entries()) {
      if (pass.stopped) return;
      this.items.validate(pass, `${path}[${i}]`, item, before(item));
    }
  }

  #validateMembers(pass: Pass, path: string, value: Readonly<Record<string, Raw>>, old: Raw): void {
    const before = isCorrelatable(this.schema) && isRawObject(old) ? old : {};
    for (const [name, member] of Object.entries(value)) {
      const previous = Object.hasOwn(before, name) ? before[name] : undefined;
      if (!pass.stopped) this.values?.validate(pass, `${path}[${name}]`, member, previous);
      if (!pass.stopped) this.properties.get(name)?.validate(pass, child(path, name), member, previous);
    }
  }

  #runRules(pass: Pass, path: string, value: Raw, old: Raw): void {
    const rules = this.#rules();
    if (typeof rules === 'string') {
      this.#tell(pass, path, rules);
      return;
    }
    if (rules.length === 0) return;
    if (pass.left <= 0) {
      this.#stop(pass, path, OUT_OF_BUDGET);
      return;
    }
    this.#reader ??= readerOf(this.schema, this.setting.isRoot);
    const bindings = new Map<string, Value>([['self', this.#reader(value)]]);
    const isTransition = rules.some((rule) => rule.isTransition);
    if (isTransition && old !== undefined) bindings.set('oldSelf', this.#reader(old));
    for (const rule of rules) {
      if (rule.isTransition && old === undefined) continue;
      this.#runRule(pass, path, rule, bindings);
      if (pass.stopped) return;
    }
  }

  #runRule(pass: Pass, path: string, { rule, test, message }: CompiledRule, bindings: Bindings): void {
    if (test === undefined) return;
    if (test.error !== undefined) {
      this.#tell(pass, path, `rule compile error: Invalid: ${test.error}`);
      return;
    }
    const { value, cost, exceeded } = test.program.evaluate(bindings, PER_CALL_LIMIT);
    if (cost > pass.left) {
      this.#stop(pass, path, OUT_OF_BUDGET);
      return;
    }
    pass.left -= cost;
    if (value instanceof Failure) {
      this.#tellFailure(pass, path, value, ruleName(rule), exceeded);
      return;
    }
    if (value === true) return;
    if (!message?.program) {
      this.#tell(pass, path, ruleMessage(rule));
      return;
    }
    const made = makeMessage(message.program, rule.messageExpression ?? '', bindings, pass.left);
    if (made.stop !== undefined) {
      this.#stop(pass, path, made.stop);
      return;
    }
    pass.left -= made.cost;
    this.#tell(pass, path, made.text ?? ruleMessage(rule));
  }

  #tellFailure(pass: Pass, path: string, { message }: Failure, rule: string, exceeded: boolean): void {
    if (exceeded) {
      const detail = `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`;
      this.#stop(pass, path, detail);
      return;
    }
    const isOverload = message.startsWith('no such overload');
    const detail = isOverload
      ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${rule}`
      : `${message} evaluating rule: ${rule}`;
    this.#tell(pass, path, detail);
  }

  /** The compiled rules, or why there are none. */
  #rules(): readonly CompiledRule[] | string {
    this.#compiled ??= this.#compile();
    return this.#compiled;
  }

  #compile(): readonly CompiledRule[] | string {
    const rules = this.schema['x-kubernetes-validations'] ?? [];
    if (rules.length === 0) return [];
    const declared = declaredType(this.schema, this.setting.isRoot, SELF_TYPE);
    if (declared) return compileRules(rules, declared, this.setting.environment);
    // Definitions with such rules are refused, so no object ever has them.
    return [];
  }

  #tell(pass: Pass, path: string, detail: string): void {
    pass.errors.push(invalidValue(path, this.schema.type ?? '', detail));
  }

  #stop(pass: Pass, path: string, detail: string): void {
    this.#tell(pass, path, detail);
    pass.stopped = true;
  }
}

const OUT_OF_BUDGET = 'validation failed due to running out of cost budget, no further validation rules will be run';
