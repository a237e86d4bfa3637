/** A number of a schema; those beyond 2^53 are bigint. */
export type Count = number | bigint;

/** One rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
}

/** A node of a structural OpenAPI schema in the form in which definitions write it; only what expressions look at. */
export interface StructuralSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: boolean | StructuralSchema;
  readonly items?: StructuralSchema;
  readonly maxLength?: Count;
  readonly maxItems?: Count;
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
