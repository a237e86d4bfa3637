import { type FieldSet, LevelBuilder } from '../paths/field-set.js';
import type { PathElement } from '../paths/path-element.js';
import { isUndeclared, type Type } from '../types/type.js';

/**
 * A set of fields as it is under a type that may own as a whole what was owned by parts when the set was written: who
 * owned a part owns the whole. The set itself when there is nothing of that kind. (The other way round needs nothing: a
 * path says nothing of what is below it.)
 */
export function reconcile(type: Type, set: FieldSet): FieldSet {
  return below(type, set) ?? set;
}

/** The set below a value; undefined when the value has become one whole. */
function below(type: Type, set: FieldSet): FieldSet | undefined {
  const typeAt = type.map ? mapChildren(type.map) : type.list ? listChildren(type.list) : undefined;
  if (typeAt === 'whole') return undefined;
  if (typeAt === undefined) return set;
  return reconcileLevel(set, typeAt);
}

type Children = ((element: PathElement) => Type | undefined) | 'whole' | undefined;

function mapChildren(map: NonNullable<Type['map']>): Children {
  if (isUndeclared(map)) return undefined;
  return map.atomic
    ? 'whole'
    : (element) => map.fields.get(element.kind === 'f' ? element.name : '')?.type ?? map.others;
}

const listChildren = (list: NonNullable<Type['list']>): Children =>
  list.relation === 'atomic' ? 'whole' : () => list.items;

function reconcileLevel(set: FieldSet, typeAt: (element: PathElement) => Type | undefined): FieldSet {
  let changed: LevelBuilder | undefined;
  set.nodes.forEach((node, i) => {
    const type = node.below && typeAt(node.element);
    const left = type && node.below ? below(type, node.below) : node.below;
    if (left === node.below && !changed) return;
    if (!changed) {
      changed = new LevelBuilder();
      for (const before of set.nodes.slice(0, i)) changed.add(before.element, before.member, before.below);
    }
    changed.add(node.element, node.member || left === undefined, left);
  });
  return changed?.build() ?? set;
}
