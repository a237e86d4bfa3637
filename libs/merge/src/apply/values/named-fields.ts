import { FieldSet, type Node } from '../paths/field-set.js';
import type { Type } from '../types/type.js';

const NO_TYPE: Type = {};

/**
 * A set together with the declared fields that lead to its paths: who owns `spec.replicas` owns `spec` in so far as it
 * may not be taken away. Keys of maps and items of lists are owned only for themselves.
 */
export function withNamedFields(type: Type, set: FieldSet): FieldSet {
  return FieldSet.of(
    set.nodes.map(({ element, member, below }): Node => {
      const field = element.kind === 'f' ? type.map?.fields.get(element.name) : undefined;
      if (!below) return { element, member, below };
      const under =
        element.kind === 'f' ? (field?.type ?? type.map?.others) : element.kind === 'k' ? type.list?.items : undefined;
      return { element, member: member || field !== undefined, below: withNamedFields(under ?? NO_TYPE, below) };
    }),
  );
}
