import { setMember } from '@orch/machinery';
import { isContainer, isObject, type Json } from './json.js';
import type { SchemaProps, ValidationRule } from './schema-props.js';
import type { Steps } from './steps.js';

/** Keywords whose values are copied. */
const PLAIN = [
  'type',
  'format',
  'nullable',
  'enum',
  'required',
  'maxLength',
  'minLength',
  'pattern',
  'maxItems',
  'minItems',
  'maxProperties',
  'minProperties',
  'maximum',
  'exclusiveMaximum',
  'minimum',
  'exclusiveMinimum',
  'multipleOf',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
] as const;

/** Keywords whose values are schemas. */
const SCHEMAS = ['items', 'additionalProperties', 'not'] as const;
const LISTS = ['allOf', 'anyOf', 'oneOf'] as const;
const RULES = 'x-kubernetes-validations';

/**
 * Reads schemas out of definitions: without descriptions and other members that do not affect objects, and equal ones
 * only once. Definitions repeat themselves, and one another, so that this is a small part of them; and what is derived
 * from a schema can be cached by the schema itself. A schema lives as long as a definition that holds it.
 */
export class SchemaPool {
  readonly #known = new Map<string, WeakRef<SchemaProps>>();
  readonly #numbers = new WeakMap<SchemaProps, number>();
  readonly #read = new WeakMap<object, SchemaProps>();
  readonly #gone = new FinalizationRegistry<string>((key) => this.#forget(key));
  #count = 0;
  #made = 0;

  /** Number of distinct schemas, including some that were dropped lately. */
  get size(): number {
    return this.#known.size;
  }

  /** Returns the shared instance of a decoded structural schema, which must not change afterwards. */
  of(schema: Readonly<Json>): SchemaProps {
    let made = this.#read.get(schema);
    if (made) return made;
    made = this.#one(this.#readSchema(schema));
    this.#read.set(schema, made);
    return made;
  }

  /** Same in steps of some hundred schemas: `of` finds them all then. */
  *steps(schema: Readonly<Json>): Steps<SchemaProps> {
    for (const child of childrenOf(schema)) yield* this.steps(child);
    if (++this.#count % AT_ONCE === 0) yield;
    return this.of(schema);
  }

  #one(made: Json): SchemaProps {
    const number = ++this.#made;
    const key = this.#keyOf(made);
    const known = key === undefined ? undefined : this.#known.get(key)?.deref();
    if (known) return known;
    this.#numbers.set(made, number);
    if (key !== undefined) {
      this.#known.set(key, new WeakRef(made));
      this.#gone.register(made, key);
    }
    return made;
  }

  /** Removes a collected schema, unless an equal one was added meanwhile. */
  #forget(key: string): void {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  }

  /**
   * Text in which the schemas in a schema are numbers. Undefined for schemas that are not compared with others: JSON
   * has no integers beyond 2^53, and very many members would take long.
   */
  #keyOf(made: Json): string | undefined {
    let left = MOST_COMPARED;
    const key = JSON.stringify(made, (_name, value: unknown) => {
      if (typeof value === 'bigint') left = 0;
      if (left-- <= 0) return undefined;
      return (isContainer(value) && value !== made && this.#numbers.get(value as SchemaProps)) || value;
    });
    return left < 0 ? undefined : key;
  }

  #readSchema(schema: Readonly<Json>): Json {
    const made: Json = {};
    for (const name of PLAIN) if (says(schema[name])) made[name] = schema[name];
    const { default: value } = schema;
    if (value !== undefined && value !== null) made.default = value;
    for (const name of SCHEMAS) {
      const inner = schema[name];
      if (isObject(inner)) made[name] = this.of(inner);
      else if (name === 'additionalProperties' && typeof inner === 'boolean') made[name] = inner;
    }
    for (const name of LISTS) {
      const schemas = objectsOf(schema[name]);
      if (schemas.length > 0) made[name] = schemas.map((each) => this.of(each));
    }
    const properties = this.#readProperties(schema.properties);
    if (properties) made.properties = properties;
    const rules = objectsOf(schema[RULES]);
    if (rules.length > 0) made[RULES] = rules.map(readRule);
    return made;
  }

  /** Undefined if there are none. */
  #readProperties(properties: unknown): Record<string, SchemaProps> | undefined {
    if (!isObject(properties)) return undefined;
    let made: Record<string, SchemaProps> | undefined;
    for (const name of Object.keys(properties)) {
      const property = properties[name];
      if (!isObject(property)) continue;
      made ??= {};
      setMember(made, name, this.of(property));
    }
    return made;
  }
}

/** Limit of the values in a schema, without those of nested schemas, up to which it is compared with others. */
const MOST_COMPARED = 10_000;

/** Schemas that are read in one step. */
const AT_ONCE = 500;

function childrenOf(schema: Readonly<Json>): Json[] {
  const { properties } = schema;
  const named = isObject(properties) ? Object.keys(properties).map((name) => properties[name]) : [];
  const single = SCHEMAS.map((name) => schema[name]).filter(isObject);
  return [...named.filter(isObject), ...single, ...LISTS.flatMap((name) => objectsOf(schema[name]))];
}

/** Whether a keyword differs from an absent one. A zero is a bound. */
const says = (value: unknown): boolean =>
  value !== undefined &&
  value !== null &&
  value !== '' &&
  value !== false &&
  !(Array.isArray(value) && value.length === 0);

const objectsOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

const RULE_TEXTS = ['message', 'messageExpression', 'reason', 'fieldPath'] as const;

function readRule(rule: Json): ValidationRule {
  const made: Json = { rule: typeof rule.rule === 'string' ? rule.rule : '' };
  for (const name of RULE_TEXTS) if (typeof rule[name] === 'string' && rule[name] !== '') made[name] = rule[name];
  if (typeof rule.optionalOldSelf === 'boolean') made.optionalOldSelf = rule.optionalOldSelf;
  return made as unknown as ValidationRule;
}
