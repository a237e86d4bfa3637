import { FieldSet, type Node } from '../paths/field-set.js';
import { paceOf } from '../paths/node.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import type { Type } from '../types/type.js';
import { Pace } from './few.js';

const NO_TYPE: Type = {};

/**
 * Adds to a set the declared fields that lead to its paths: the owner of `spec.replicas` owns `spec` in so far as it
 * may not be removed. Keys of maps and items of lists are owned only for themselves.
 */
export function withNamedFields(type: Type, set: FieldSet): FieldSet {
  return FieldSet.of(set.nodes.map((node) => named(type, node, withNamedFields)));
}

/** Same as {@link withNamedFields}, in steps. */
export function* namedFieldsInSteps(type: Type, set: FieldSet): Steps<FieldSet> {
  return set.isMany ? yield* walked(divided(type, set)) : withNamedFields(type, set);
}

function* divided(type: Type, set: FieldSet): Walk<FieldSet> {
  const nodes: Node[] = [];
  const pace = new Pace();
  for (const node of yield* set.readLevel()) {
    const below = node.below?.isMany ? yield* descend(divided(typeUnder(type, node), node.below)) : undefined;
    nodes.push(named(type, node, below ? () => below : withNamedFields));
    if (pace.isOver(paceOf(node.below))) yield STEP;
  }
  return FieldSet.of(nodes);
}

function named(type: Type, node: Node, inside: typeof withNamedFields): Node {
  const { element, member, below } = node;
  if (!below) return node;
  const isField = element.kind === 'f' && type.map?.fields.has(element.name) === true;
  return { element, member: member || isField, below: inside(typeUnder(type, node), below) };
}

function typeUnder({ map, list }: Type, { element: { kind, name } }: Node): Type {
  if (kind === 'f') return map?.fields.get(name)?.type ?? map?.others ?? NO_TYPE;
  return (kind === 'k' ? list?.items : undefined) ?? NO_TYPE;
}
