import type { PathElement } from './path-element.js';

/**
 * A child of a level of a set of paths: whether it is itself in the set, and which part of the set is below it. At
 * least one of the two. `Below` is a set of the same kind as the one that the level is of.
 */
export interface NodeOf<Below> {
  readonly element: PathElement;
  readonly member: boolean;
  readonly below: Below | undefined;
}

/** Merges the levels below two nodes of one element: the set of the paths of either. */
export type Join<Below> = (a: Below, b: Below) => Below;

/** Returns the node with other content; itself when nothing differs. */
export const changedNode = <Below>(node: NodeOf<Below>, member: boolean, below: Below | undefined): NodeOf<Below> =>
  member === node.member && below === node.below ? node : { element: node.element, member, below };

/** Merges two nodes of one element. */
export const joinedNode = <Below>(a: NodeOf<Below>, b: NodeOf<Below>, join: Join<Below>): NodeOf<Below> =>
  changedNode(a, a.member || b.member, a.below && b.below ? join(a.below, b.below) : (a.below ?? b.below));

/** Node of an element in the union of two sets. */
export const either = <Below>(
  x: NodeOf<Below> | undefined,
  y: NodeOf<Below> | undefined,
  join: Join<Below>,
): NodeOf<Below> | undefined => (x && y ? joinedNode(x, y, join) : (x ?? y));

/** Weight of a set in a step of its parent: a large set has steps of its own. */
export const paceOf = (set: { readonly isMany: boolean; readonly size: number } | undefined): number =>
  set === undefined || set.isMany ? 1 : 1 + set.size;
