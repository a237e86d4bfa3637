import { FieldSet, LevelBuilder, type Node } from '../paths/field-set.js';
import { changedNode, paceOf } from '../paths/node.js';
import type { PathElement } from '../paths/path-element.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { isUndeclared, type Type } from '../types/type.js';
import { Pace } from './few.js';

/**
 * Adapts a set of fields to a type that may own as a whole what was owned in parts when the set was written: the owner
 * of a part owns the whole. Returns the set itself when nothing changes. (The other direction needs nothing: a path
 * implies nothing about those below it.)
 */
export function reconcile(type: Type, set: FieldSet): FieldSet {
  return below(type, set) ?? set;
}

/** Same as {@link reconcile}, in steps. */
export function* reconcileInSteps(type: Type, set: FieldSet): Steps<FieldSet> {
  return set.isMany ? ((yield* walked(belowInSteps(type, set))) ?? set) : reconcile(type, set);
}

/** Same as {@link below}, in steps. */
function* belowInSteps(type: Type, set: FieldSet): Walk<FieldSet | undefined> {
  if (!set.isMany) return below(type, set);
  const typeAt = childrenOf(type);
  if (typeAt === 'whole') return undefined;
  if (typeAt === undefined) return set;
  const nodes: Node[] = [];
  const pace = new Pace();
  let same = true;
  for (const node of yield* set.readLevel()) {
    const under = node.below && typeAt(node.element);
    const left = under && node.below ? yield* descend(belowInSteps(under, node.below)) : node.below;
    const now = changedNode(node, node.member || left === undefined, left);
    same &&= now === node;
    nodes.push(now);
    if (pace.isOver(paceOf(node.below))) yield STEP;
  }
  return same ? set : FieldSet.of(nodes);
}

const childrenOf = ({ map, list }: Type): Children => (map ? mapChildren(map) : list ? listChildren(list) : undefined);

/** Returns the set below a value; undefined when the value has become atomic. */
function below(type: Type, set: FieldSet): FieldSet | undefined {
  const typeAt = childrenOf(type);
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
