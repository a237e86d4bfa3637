import type { StructSchema } from './model.js';

const known = new WeakMap<StructSchema, readonly string[]>();

/** The fields of a kind whose values are copied byte for byte (`RawExtension`); only those of the object itself. */
export function opaqueFields(schema: StructSchema): readonly string[] {
  const names = known.get(schema) ?? [...schema.fields.values()].filter(isOpaque).map(({ name }) => name);
  known.set(schema, names);
  return names;
}

const isOpaque = ({ schema }: { readonly schema: { readonly kind: string } }): boolean =>
  schema.kind === 'rawExtension';
