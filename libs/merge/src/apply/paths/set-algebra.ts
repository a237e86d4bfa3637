import { FieldSet, NO_FIELDS, type Node, type Path, union, zip } from './field-set.js';
import { changedNode } from './node.js';
import { compareElements, fieldElement } from './path-element.js';

/** Returns the set of some paths of fields, by the names of the fields: `['metadata', 'labels']`. */
export const pathsOf = (paths: readonly (readonly string[])[]): FieldSet =>
  setOf(...paths.map((path) => path.map(fieldElement)));

/** Returns the set of some paths. */
export function setOf(...paths: readonly Path[]): FieldSet {
  return paths.reduce((set, path) => union(set, singleton(path)), NO_FIELDS);
}

function singleton(path: Path): FieldSet {
  let set: FieldSet | undefined;
  for (const element of [...path].reverse()) set = FieldSet.of([{ element, member: set === undefined, below: set }]);
  return set ?? NO_FIELDS;
}

/** Factor of size at which a level is searched instead of walked: thousands of small ones are compared with it. */
export const LOPSIDED = 16;

/** Same as {@link zip}, for operations that can only keep nodes of the first. */
function among(a: FieldSet, b: FieldSet, pick: (x: Node, y: Node | undefined) => Node | undefined): FieldSet {
  if (b.nodes.length < LOPSIDED * a.nodes.length) return zip(a, b, (x, y) => x && pick(x, y));
  const made: Node[] = [];
  let same = true;
  for (const x of a.nodes) {
    const node = pick(x, b.at(x.element));
    same &&= node === x;
    if (node && (node.member || node.below)) made.push(node);
  }
  if (same) return a;
  return made.length === 0 ? NO_FIELDS : FieldSet.of(made);
}

const orNone = (set: FieldSet): FieldSet | undefined => (set.isEmpty ? undefined : set);

/** Returns the paths of any of them. Thousands of sets take little more than their sizes together. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length <= 1) return sets[0] ?? NO_FIELDS;
  const middle = sets.length >> 1;
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
}

type Operation = (a: FieldSet, b: FieldSet) => FieldSet;
/** Combines the nodes at an element. @param below the operation on what is below both */
type Pick = (x: Node | undefined, y: Node | undefined, below: Operation) => Node | undefined;

/** Returns the paths of both. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  if (a.isEmpty || b.isEmpty) return NO_FIELDS;
  return among(a, b, (x, y) => inBoth(x, y, intersection));
}

/** Node that an {@link intersection} keeps. */
export const inBoth: Pick = (x, y, intersect) => {
  if (!x || !y) return undefined;
  const below = x.below && y.below ? orNone(intersect(x.below, y.below)) : undefined;
  return { element: x.element, member: x.member && y.member, below };
};

/** Returns the paths of the first that the second lacks. Paths below one of the second stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return NO_FIELDS;
  if (a.isEmpty || b.isEmpty) return a;
  return among(a, b, (x, y) => inFirst(x, y, difference));
}

/** Node that a {@link difference} keeps. */
export const inFirst: Pick = (x, y, subtract) => {
  if (!x || !y) return x;
  const below = x.below && y.below ? orNone(subtract(x.below, y.below)) : x.below;
  return changedNode(x, x.member && !y.member, below);
};

/** Returns the paths of the first that neither are in the second nor below one of its paths. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return NO_FIELDS;
  if (a.isEmpty || b.isEmpty) return a;
  return among(a, b, (x, y) => notBelow(x, y, recursiveDifference));
}

/** Node that a {@link recursiveDifference} keeps. */
export const notBelow: Pick = (x, y, subtract) => {
  if (!x || !y) return x;
  if (y.member) return undefined;
  return changedNode(x, x.member, x.below && y.below ? orNone(subtract(x.below, y.below)) : x.below);
};

/** Whether all paths of the second are in the first. Stops at the first that is not. */
export function covers(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  return b.nodes.every((node, i) => {
    // Equal sets have it at the same index.
    const same = a.nodes[i];
    const own = same?.element === node.element ? same : a.at(node.element);
    if (!own || (node.member && !own.member)) return false;
    return node.below === undefined || (own.below !== undefined && covers(own.below, node.below));
  });
}

/** Whether both have the same paths. */
export function equalSets(a: FieldSet, b: FieldSet): boolean {
  return (
    a === b ||
    (a.nodes.length === b.nodes.length &&
      a.nodes.every((x, i) => {
        const y = b.nodes[i] as Node;
        if (x.member !== y.member || compareElements(x.element, y.element) !== 0) return false;
        return x.below && y.below ? equalSets(x.below, y.below) : x.below === y.below;
      }))
  );
}
