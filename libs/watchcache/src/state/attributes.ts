import type { Key, Row } from '@orch/storage';

/**
 * Attributes that selectors match. `fields` holds the type's selectable fields, `metadata.name` and
 * `metadata.namespace` among them.
 */
export interface SelectableAttributes {
  /** `metadata.labels` of the object; empty when it has none. */
  readonly labels: Readonly<Record<string, string>>;
  /** Values by path: `spec.nodeName`. An unset field is empty, or missing. */
  readonly fields: Readonly<Record<string, string>>;
}

/** Reads the attributes of a stored object. Must not throw. */
export type Describe = (row: Row) => SelectableAttributes;

/** Key of an equality that every match fulfils: `label:<key>` or `field:<path>`. */
export type EqualityKey = `label:${string}` | `field:${string}`;

/** Label and field selector of a list or watch, compiled. */
export interface Selection {
  /** Canonical form: equal keys select the same. */
  readonly key: string;
  /** Whether an object with these attributes is selected. Pure. */
  matches(attributes: SelectableAttributes): boolean;
  /** Equalities that all matches fulfil, for use with indexes. */
  readonly equals?: ReadonlyMap<EqualityKey, string>;
  /** Whether it only selects the name, or the namespace, in `equals`. Default false. */
  readonly byKey?: boolean;
  /** Cost of matching: one for each condition, and for each further value of one. Default 1. */
  readonly terms?: number;
}

/** Key of an equality of the object's name. */
export const NAME_FIELD = 'field:metadata.name';
/** Key of an equality of the object's namespace. */
export const NAMESPACE_FIELD = 'field:metadata.namespace';

/** Returns the most selective equality: a name, else a field, else a label; namespaces are handled elsewhere. */
export function narrowest(selection: Selection | undefined): readonly [EqualityKey, string] | undefined {
  const equals = selection?.equals;
  const name = equals?.get(NAME_FIELD);
  if (name !== undefined) return [NAME_FIELD, name];
  const others = [...(equals ?? [])].filter(([key]) => key !== NAMESPACE_FIELD);
  return others.find(([key]) => key.startsWith('field:')) ?? others[0];
}

/** The value that an equality compares with; undefined when the object has none. */
export function attributeOf(attributes: SelectableAttributes, key: EqualityKey): string | undefined {
  const values = key.startsWith('label:') ? attributes.labels : attributes.fields;
  const name = key.slice(6);
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Same for an object, which is not parsed when its key decides. */
export function valueIn(
  object: Key & { readonly attributes: SelectableAttributes },
  key: EqualityKey,
): string | undefined {
  if (key === NAME_FIELD) return object.name;
  return attributeOf(object.attributes, key);
}
