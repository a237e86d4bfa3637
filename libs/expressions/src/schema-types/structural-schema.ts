/** A number of a schema; those beyond 2^53 are bigint. */
export type Count = number | bigint;

/** One rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  /** An expression that is true of what is right. */
  readonly rule: string;
  /** Told where it is not; default `failed rule: ` and the rule. */
  readonly message?: string;
  /** An expression that makes the message; where it fails, the message is told. */
  readonly messageExpression?: string;
}

/** A node of a structural OpenAPI schema in the form in which definitions write it; only what expressions look at. */
export interface StructuralSchema {
  /** Name of a JSON type; absent for anything, and for integers or strings. */
  readonly type?: string;
  /** `byte`, `date`, `date-time` and `duration` make other types of strings. */
  readonly format?: string;
  /** Whether the value may be null; nulls count as absent. */
  readonly nullable?: boolean;
  /** Value of a member that is absent. */
  readonly default?: unknown;
  /** Names of the members that an object must have. */
  readonly required?: readonly string[];
  /** Members of an object. */
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  /** Values of a map; true: of any kind. */
  readonly additionalProperties?: boolean | StructuralSchema;
  /** Elements of a list. */
  readonly items?: StructuralSchema;
  /** Characters of a string. */
  readonly maxLength?: Count;
  /** Elements of a list. */
  readonly maxItems?: Count;
  /** Members of an object. */
  readonly maxProperties?: Count;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

const TEXT: StructuralSchema = { type: 'string' };

/** Schema of the values of a map; undefined for objects, and for maps of anything. */
export const valueSchemaOf = ({ additionalProperties }: StructuralSchema): StructuralSchema | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined;

/** Whether a node is the root of an embedded object, with kind and metadata. */
export const isEmbedded = (schema: StructuralSchema): boolean => schema['x-kubernetes-embedded-resource'] === true;

/**
 * The schema of an object with what every object has: kind and version, and of the metadata what expressions may see. What
 * the schema itself says of these is kept only if it says enough.
 */
export function withObjectMeta(schema: StructuralSchema): StructuralSchema {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const named = metadata?.properties?.name?.type === 'string' && metadata.properties.generateName?.type === 'string';
  if (kind?.type === 'string' && apiVersion?.type === 'string' && metadata?.type === 'object' && named) return schema;
  const meta: StructuralSchema = { type: 'object', properties: { name: TEXT, generateName: TEXT } };
  return { ...schema, properties: { ...schema.properties, kind: TEXT, apiVersion: TEXT, metadata: meta } };
}
