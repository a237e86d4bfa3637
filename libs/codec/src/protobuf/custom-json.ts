import type { StructSchema } from '@orch/schema';

type Members = Record<string, unknown>;

/**
 * Converts between the JSON value of a struct and its members: a list, a boolean, or a struct. A struct with a boolean
 * beside it (`JSONSchemaPropsOrBool`) implies true.
 */
export interface CustomJson {
  toMembers(value: unknown): Members;
  /** Undefined when no member is set. */
  fromMembers(members: Members): unknown;
}

/** Returns the conversion of a struct whose JSON is a list, a boolean or an object. */
export function customJsonOf(schema: StructSchema): CustomJson {
  const names = new Map([...schema.fields.values()].map((field) => [field.schema.kind, field.name]));
  const [list, bool, struct] = [names.get('list'), names.get('bool'), names.get('struct')];
  return {
    toMembers(value) {
      if (list !== undefined && Array.isArray(value)) return { [list]: value };
      if (bool !== undefined && typeof value === 'boolean') return { [bool]: value };
      return { ...(struct !== undefined && { [struct]: value }), ...(bool !== undefined && { [bool]: true }) };
    },
    fromMembers(members) {
      const items = list === undefined ? undefined : members[list];
      if (Array.isArray(items) && items.length > 0) return items;
      if (struct !== undefined && members[struct] !== undefined) return members[struct];
      return bool === undefined ? undefined : (members[bool] ?? false);
    },
  };
}
