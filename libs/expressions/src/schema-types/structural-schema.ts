import type { SchemaProps } from '@orch/schema';

export type { Count, SchemaProps, ValidationRule } from '@orch/schema';

const TEXT: SchemaProps = { type: 'string' };

/** Schema of the values of a map; undefined for objects, and for maps of anything. */
export const valueSchemaOf = ({ additionalProperties }: SchemaProps): SchemaProps | undefined =>
  typeof additionalProperties === 'object' ? additionalProperties : undefined;

/** Whether a node is the root of an embedded object, with kind and metadata. */
export const isEmbedded = (schema: SchemaProps): boolean => schema['x-kubernetes-embedded-resource'] === true;

/**
 * The schema of an object with the fields of every object: kind and version, and the metadata that expressions may see.
 * The schema's own declaration of these is kept only if it is complete enough.
 */
export function withObjectMeta(schema: SchemaProps): SchemaProps {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const named = metadata?.properties?.name?.type === 'string' && metadata.properties.generateName?.type === 'string';
  if (kind?.type === 'string' && apiVersion?.type === 'string' && metadata?.type === 'object' && named) return schema;
  const meta: SchemaProps = { type: 'object', properties: { name: TEXT, generateName: TEXT } };
  return { ...schema, properties: { ...schema.properties, kind: TEXT, apiVersion: TEXT, metadata: meta } };
}
