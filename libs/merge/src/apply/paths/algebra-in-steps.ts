import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { Pace } from '../values/few.js';
import { FieldSet, NO_FIELDS, type Node, union } from './field-set.js';
import { either, paceOf } from './node.js';
import { compareElements } from './path-element.js';
import type { SetOperation } from './remembered.js';
import {
  covers,
  difference,
  inBoth,
  inFirst,
  intersection,
  LOPSIDED,
  notBelow,
  recursiveDifference,
} from './set-algebra.js';

/* The operations of `set-algebra.ts` over sets of any size, in steps: small sets are delegated to those. */

type AtOnce = (a: FieldSet, b: FieldSet) => FieldSet;

interface Operation {
  readonly atOnce: AtOnce;
  /** Combines the nodes at an element that either has. @param below the operation on what is below both */
  readonly pick: (x: Node | undefined, y: Node | undefined, below: AtOnce) => Node | undefined;
  /** Whether elements that only the second has are dropped. */
  readonly narrows: boolean;
}

const UNION: Operation = { atOnce: union, pick: either, narrows: false };
const INTERSECTION: Operation = { atOnce: intersection, pick: inBoth, narrows: true };
const DIFFERENCE: Operation = { atOnce: difference, pick: inFirst, narrows: true };
const RECURSIVE_DIFFERENCE: Operation = { atOnce: recursiveDifference, pick: notBelow, narrows: true };

/** Same as `union`. */
export const unionInSteps: SetOperation = (a, b) => operated(UNION, a, b);
/** Same as `intersection`. */
export const intersectionInSteps: SetOperation = (a, b) => operated(INTERSECTION, a, b);
/** Same as `difference`. */
export const differenceInSteps: SetOperation = (a, b) => operated(DIFFERENCE, a, b);
/** Same as `recursiveDifference`. */
export const recursiveDifferenceInSteps: SetOperation = (a, b) => operated(RECURSIVE_DIFFERENCE, a, b);

/** Same as `unionOf`. */
export function* unionOfInSteps(sets: readonly FieldSet[]): Steps<FieldSet> {
  if (sets.length <= 1) return sets[0] ?? NO_FIELDS;
  const middle = sets.length >> 1;
  const [a, b] = [yield* unionOfInSteps(sets.slice(0, middle)), yield* unionOfInSteps(sets.slice(middle))];
  yield STEP;
  return yield* unionInSteps(a, b);
}

const isLittle = (a: FieldSet, b: FieldSet): boolean => a === b || !(a.isMany || b.isMany);

function* operated(operation: Operation, a: FieldSet, b: FieldSet): Steps<FieldSet> {
  return isLittle(a, b) ? operation.atOnce(a, b) : yield* walked(divided(operation, a, b));
}

function* divided(operation: Operation, a: FieldSet, b: FieldSet): Walk<FieldSet> {
  const { atOnce, pick } = operation;
  if (a === b) return atOnce(a, b);
  const [nodes, others] = [yield* a.readLevel(), yield* b.readLevel()];
  // The result for an empty set is known at once.
  if (nodes.length === 0 || others.length === 0) return atOnce(a, b);
  const made: Node[] = [];
  let same = true;
  const pace = new Pace();
  for (const [x, y] of pairsOf(operation, a, b)) {
    const [from, to] = [x?.below, y?.below];
    const below = from && to && (from.isMany || to.isMany) ? yield* descend(divided(operation, from, to)) : undefined;
    const node = pick(x, y, below ? () => below : atOnce);
    same &&= node === x;
    if (node && (node.member || node.below)) made.push(node);
    if (pace.isOver(paceOf(from) + paceOf(to))) yield STEP;
  }
  if (same) return a;
  return made.length === 0 ? NO_FIELDS : FieldSet.of(made);
}

type Pairs = Iterable<readonly [Node | undefined, Node | undefined]>;

/** Pairs the nodes of two levels at the elements that an operation looks at, in their order. */
const pairsOf = ({ narrows }: Operation, a: FieldSet, b: FieldSet): Pairs =>
  narrows && b.nodes.length >= LOPSIDED * a.nodes.length ? foundIn(a, b) : sideBySide(a.nodes, b.nodes);

function* foundIn(a: FieldSet, b: FieldSet): Generator<readonly [Node, Node | undefined]> {
  for (const node of a.nodes) yield [node, b.at(node.element)];
}

function* sideBySide(a: readonly Node[], b: readonly Node[]): Generator<readonly [Node | undefined, Node | undefined]> {
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [x, y] = [a[i], b[j]];
    const order = x === undefined ? 1 : y === undefined ? -1 : compareElements(x.element, y.element);
    if (order <= 0) i++;
    if (order >= 0) j++;
    yield [order <= 0 ? x : undefined, order >= 0 ? y : undefined];
  }
}

/** Same as `covers`. */
export function* coversInSteps(a: FieldSet, b: FieldSet): Steps<boolean> {
  return isLittle(a, b) ? covers(a, b) : yield* walked(covered(a, b));
}

function* covered(a: FieldSet, b: FieldSet): Walk<boolean> {
  if (isLittle(a, b)) return covers(a, b);
  const [nodes, others] = [yield* a.readLevel(), yield* b.readLevel()];
  const pace = new Pace();
  for (const [i, { element, member, below }] of others.entries()) {
    const own = nodes[i]?.element === element ? nodes[i] : a.at(element);
    if (!own || (member && !own.member)) return false;
    if (below && !(own.below && (yield* descend(covered(own.below, below))))) return false;
    if (pace.isOver(paceOf(below))) yield STEP;
  }
  return true;
}
