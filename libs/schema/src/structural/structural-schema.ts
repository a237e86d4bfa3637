import { copy, memberOf } from '@orch/machinery';
import { Effort } from './effort.js';
import { sizeOf } from './json.js';
import { prune } from './prune.js';
import type { SchemaProps } from './schema-props.js';
import { atOnce } from './steps.js';
import { ValueRules } from './value-rules.js';

const UNIQUE: ReadonlySet<string> = new Set(['set', 'map']);

/**
 * A schema in the form in which objects are walked. Schemas below it are compiled on first use, so that an unused
 * definition costs its text only; the text must not change afterwards.
 */
export class StructuralSchema {
  /** Whether undeclared members are preserved. */
  readonly preserves: boolean;
  /** Whether the value is an embedded object, with type and metadata of its own. */
  readonly embedded: boolean;
  /** Whether the value may be null. */
  readonly nullable: boolean;
  /** Default of an absent member, without unknown members; undefined for none. */
  readonly default: unknown;
  #properties: Map<string, StructuralSchema> | undefined;
  #holdsEmbedded: boolean | undefined;
  #holdsUnique: boolean | undefined;
  #items: StructuralSchema | undefined;
  #others: StructuralSchema | undefined;
  #defaulted: readonly (readonly [string, StructuralSchema])[] | undefined;
  #defaultSize: number | undefined;
  #rules: ValueRules<StructuralSchema> | undefined;

  /** Use {@link compileSchema}, which creates one instance per schema. */
  constructor(readonly props: SchemaProps) {
    this.preserves = props['x-kubernetes-preserve-unknown-fields'] === true;
    this.embedded = props['x-kubernetes-embedded-resource'] === true;
    this.nullable = props.nullable === true;
    this.default = soundDefault(props.default, this);
  }

  /** Whether a value may contain embedded objects, itself included. */
  get holdsEmbedded(): boolean {
    this.#holdsEmbedded ??= embedded(this.props);
    return this.#holdsEmbedded;
  }

  /** Whether a value may contain lists with unique elements, itself included. */
  get holdsUnique(): boolean {
    this.#holdsUnique ??= unique(this.props);
    return this.#holdsUnique;
  }

  /** Schema of a named member; undefined for others. */
  property(name: string): StructuralSchema | undefined {
    const known = this.#properties?.get(name);
    if (known) return known;
    const props = this.props.properties && memberOf(this.props.properties, name);
    if (!props) return undefined;
    const made = compileSchema(props);
    this.#properties ??= new Map();
    this.#properties.set(name, made);
    return made;
  }

  /** Schema of each element of a list. */
  get items(): StructuralSchema | undefined {
    const { items } = this.props;
    if (items && !Array.isArray(items)) this.#items ??= compileSchema(items);
    return this.#items;
  }

  /** Schema of the values of a map with free keys. */
  get others(): StructuralSchema | undefined {
    const { additionalProperties } = this.props;
    if (additionalProperties && additionalProperties !== true) this.#others ??= compileSchema(additionalProperties);
    return this.#others;
  }

  /** Whether undeclared members may be present, even if all of them are refused later. */
  get isMap(): boolean {
    return this.props.additionalProperties !== undefined && this.props.additionalProperties !== null;
  }

  /** Schema of a member, named or free. */
  member(name: string): StructuralSchema | undefined {
    return this.property(name) ?? this.others;
  }

  /** Members with a default of their own. */
  get defaulted(): readonly (readonly [string, StructuralSchema])[] {
    this.#defaulted ??= Object.entries(this.props.properties ?? {}).flatMap(([name, props]) => {
      const property = (props.default ?? undefined) === undefined ? undefined : this.property(name);
      return property ? [[name, property] as const] : [];
    });
    return this.#defaulted;
  }

  /** Number of values in the default, long texts counting as several. */
  get defaultSize(): number {
    this.#defaultSize ??= sizeOf(this.props.default ?? undefined);
    return this.#defaultSize;
  }

  /** Rules for the value itself. */
  get rules(): ValueRules<StructuralSchema> {
    this.#rules ??= new ValueRules(this.props, compileSchema);
    return this.#rules;
  }
}

function soundDefault(value: unknown, schema: StructuralSchema): unknown {
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  const sound = copy(value);
  atOnce(prune(sound, schema, Effort.inSteps(), undefined, false));
  return sound;
}

/** Returns a memoized check of whether a schema, or one below it, is such a one. */
function holding(isSuch: (props: SchemaProps) => boolean): (props: SchemaProps) => boolean {
  const known = new WeakMap<SchemaProps, boolean>();
  return function holds(props) {
    let found = known.get(props);
    if (found === undefined) {
      found = isSuch(props) || partsOf(props).some(holds);
      known.set(props, found);
    }
    return found;
  };
}

function partsOf({ items, additionalProperties, properties }: SchemaProps): SchemaProps[] {
  const parts = Object.values(properties ?? {}).filter((each) => each);
  if (items) parts.push(items);
  if (typeof additionalProperties === 'object' && additionalProperties) parts.push(additionalProperties);
  return parts;
}

const embedded = holding((props) => props['x-kubernetes-embedded-resource'] === true);
const unique = holding((props) => UNIQUE.has(props['x-kubernetes-list-type'] ?? ''));

const compiled = new WeakMap<object, StructuralSchema>();

/**
 * Compiles a structural schema (definitions are validated when they are written), at once, whatever its size. Results
 * are cached with the schema: those of a {@link SchemaPool} are compiled once for all definitions.
 */
export function compileSchema(props: SchemaProps | Readonly<Record<string, unknown>>): StructuralSchema {
  let schema = compiled.get(props);
  if (!schema) {
    schema = new StructuralSchema(props as SchemaProps);
    compiled.set(props, schema);
  }
  return schema;
}
