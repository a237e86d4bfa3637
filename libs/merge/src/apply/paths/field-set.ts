import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import { PIECE } from '../piece.js';
import { descend, STEP, type Steps, type Walk, walked } from '../steps.js';
import { isUndivided } from '../undivided.js';
import { LEVELS, Pace, valuesIn } from '../values/few.js';
import { LevelNodes } from './level-nodes.js';
import { textInSteps, textOf } from './level-text.js';
import { either, type NodeOf, paceOf } from './node.js';
import { compareElements, type PathElement } from './path-element.js';
import { LEAF, nodesInSteps, nodesOf, SELF } from './written-level.js';

/** Path of a child of an object, step by step. */
export type Path = readonly PathElement[];

/** Human-readable path: `.spec.containers[name="a"].image`. */
export const pathText = (path: Path): string => path.join('');

/** A child of a level of a {@link FieldSet}. */
export type Node = NodeOf<FieldSet>;

/** Nodes of a level beyond which they are found by a map: each binary search takes several comparisons of texts. */
const WIDE = 64;

/**
 * Estimated bytes of a level, of a node of it, and how many times an element's text is stored: its own, in JSON, and in
 * the text of the level.
 */
const LEVEL_BYTES = 200;
const NODE_BYTES = 250;
const FORMS = 3;

/**
 * A set of paths as a trie whose levels are sorted. Membership of a path implies nothing about those below it.
 * Immutable; the empty set is {@link NO_FIELDS}.
 *
 * A level is a list of nodes, or the object that stands for it in `fieldsV1`: each is computed from the other on
 * demand, so that of large sets which are only carried along just the few levels are read where something changes.
 */
export class FieldSet {
  #nodes: readonly Node[] | undefined;
  #trie: JsonObject | undefined;
  #byText: Map<string, Node> | undefined;
  #text: string | undefined;
  #weight: number | undefined;
  #isMany: boolean | undefined;
  /** Whether {@link read} has nothing left to do. */
  #isRead = false;

  private constructor(nodes: readonly Node[] | undefined, trie: JsonObject | undefined) {
    this.#nodes = nodes;
    this.#trie = trie;
  }

  /** Returns the set of nodes in the order of {@link compareElements}, each element once. */
  static of(nodes: readonly Node[]): FieldSet {
    return new FieldSet(nodes, undefined);
  }

  /** Returns the set of a trie that the server has written: sorted, and with all texts in canonical form. */
  static written(trie: JsonObject): FieldSet {
    return new FieldSet(undefined, trie);
  }

  /**
   * Nodes in the order of {@link compareElements}, each element once. @throws FieldsV1Error when the source is invalid
   */
  get nodes(): readonly Node[] {
    this.#nodes ??= nodesOf(this.#trie ?? {}, new LevelBuilder(), FieldSet.written);
    return this.#nodes;
  }

  /**
   * Reads all levels of a very large set in steps, so that later reads are cheap. Smaller sets stay unread.
   * @throws FieldsV1Error
   */
  *read(): Steps<FieldSet> {
    if (!this.#isRead && this.isMany) yield* walked(this.#readBelow());
    return this;
  }

  *#readBelow(): Walk<void> {
    if (this.#isRead) return;
    const pace = new Pace();
    for (const { below } of yield* this.readLevel()) {
      if (below?.isMany) yield* descend(below.#readBelow());
      if (pace.isOver(paceOf(below))) yield STEP;
    }
    this.#isRead = true;
  }

  /** The {@link nodes}, read in steps. @throws FieldsV1Error */
  *readLevel(): Steps<readonly Node[]> {
    this.#nodes ??= yield* nodesInSteps(this.#trie ?? {}, new LevelBuilder(), FieldSet.written);
    return this.#nodes;
  }

  /**
   * Whether it has so many nodes on all its levels, or so many levels, that work on them takes more than one step.
   * Reads none.
   */
  get isMany(): boolean {
    if (isUndivided()) return false;
    this.#isMany ??= this.#count(PIECE, LEVELS) > PIECE;
    return this.#isMany;
  }

  /** Counts its nodes; returns a number above `most` for more, and for more levels than given. */
  #count(most: number, levels: number): number {
    if (this.#nodes === undefined) return valuesIn(this.#trie ?? {}, most + 1, levels) - 1;
    if (levels === 0) return most + 1;
    let nodes = this.#nodes.length;
    for (const { below } of this.#nodes) {
      if (nodes > most) break;
      if (below) nodes += below.#isMany ? most + 1 : below.#count(most - nodes, levels - 1);
    }
    return nodes;
  }

  /**
   * The level in `fieldsV1`: frozen, as it is shared.
   * @param self whether the place itself is in the set
   */
  trie(self: boolean): JsonObject {
    const kept = this.#trie;
    if (kept && Object.hasOwn(kept, SELF) === self) return kept;
    const trie: JsonObject = {};
    if (self) trie[SELF] = LEAF;
    for (const { element, member, below } of this.nodes) {
      setMember<JsonValue | undefined>(trie, element.text, below ? below.trie(member) : LEAF);
    }
    this.#trie = Object.freeze(trie);
    return trie;
  }

  /** Computes the {@link trie} and the {@link text} ahead of use, in steps. */
  *write(self: boolean): Steps<void> {
    if (this.isMany) yield* walked(this.#writeBelow(self));
  }

  *#writeBelow(self: boolean): Walk<void> {
    const pace = new Pace();
    for (const { member, below } of yield* this.readLevel()) {
      if (below?.isMany) yield* descend(below.#writeBelow(member));
      else below?.trie(member);
      if (pace.isOver(paceOf(below))) yield STEP;
    }
    yield STEP;
    this.trie(self);
    yield STEP;
    this.#text ??= yield* textInSteps(this.nodes);
  }

  /**
   * Text between the braces of the level in `fieldsV1`, byte for byte as the reference writes it, except for the place
   * itself.
   */
  get text(): string {
    this.#text ??= textOf(this.nodes);
    return this.#text;
  }

  /** Estimated bytes for keeping it with everything derived from it, lower levels included. */
  get weight(): number {
    this.#weight ??= this.nodes.reduce(
      (sum, { element, below }) => sum + NODE_BYTES + FORMS * element.text.length + (below?.weight ?? 0),
      LEVEL_BYTES,
    );
    return this.#weight;
  }

  /** Returns the node whose element has a text of `fieldsV1`; undefined if there is none. */
  atText(text: string): Node | undefined {
    this.#byText ??= new Map(this.nodes.map((node) => [node.element.text, node]));
    return this.#byText.get(text);
  }

  /** Prepares {@link atText}, in steps. */
  *index(): Steps<void> {
    if (this.#byText) return;
    const byText = new Map<string, Node>();
    const pace = new Pace();
    for (const node of this.nodes) {
      byText.set(node.element.text, node);
      if (pace.isOver()) yield STEP;
    }
    this.#byText = byText;
  }

  /** Whether it has no path. */
  get isEmpty(): boolean {
    return this.nodes.length === 0;
  }

  /** Returns the node at an element; undefined if there is none. */
  at(element: PathElement): Node | undefined {
    const { nodes } = this;
    if (nodes.length > WIDE) return this.atText(element.text);
    let [low, high] = [0, nodes.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const node = nodes[middle] as Node;
      const order = compareElements(node.element, element);
      if (order === 0) return node;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return undefined;
  }

  /** Whether the path itself is in the set. The empty path never is. */
  has(path: Path): boolean {
    let set: FieldSet | undefined = this;
    for (let i = 0; i < path.length; i++) {
      const node: Node | undefined = set?.at(path[i] as PathElement);
      if (i === path.length - 1) return node?.member ?? false;
      set = node?.below;
    }
    return false;
  }

  /** How many paths it has. */
  get size(): number {
    let paths = 0;
    for (const { member, below } of this.nodes) paths += Number(member) + (below?.size ?? 0);
    return paths;
  }

  /** Every path: those of a level before those below it. */
  *paths(): Generator<Path> {
    const levels: { readonly set: FieldSet; readonly above: Path }[] = [{ set: this, above: [] }];
    for (let level = levels.pop(); level; level = levels.pop()) {
      const { set, above } = level;
      for (const { element, member } of set.nodes) if (member) yield [...above, element];
      for (const { element, below } of set.nodes.toReversed()) {
        if (below) levels.push({ set: below, above: [...above, element] });
      }
    }
  }
}

/** The set without a path. */
export const NO_FIELDS = FieldSet.of([]);

/** Builds a level; elements may come in any order and more than once. */
export class LevelBuilder extends LevelNodes<FieldSet> {
  constructor() {
    super(union);
  }

  /** Returns the level; undefined when nothing was added. */
  build(): FieldSet | undefined {
    return this.isEmpty ? undefined : FieldSet.of(this.nodes);
  }

  /** Same as {@link build}. */
  *buildInSteps(): Steps<FieldSet | undefined> {
    return this.isEmpty ? undefined : FieldSet.of(yield* this.nodesInSteps());
  }
}

/**
 * Walks two levels side by side and keeps the result of `pick` for each element that either has. Returns the first set
 * itself when all its nodes stay and none is added.
 */
export function zip(
  a: FieldSet,
  b: FieldSet,
  pick: (x: Node | undefined, y: Node | undefined) => Node | undefined,
): FieldSet {
  const made: Node[] = [];
  let [i, j] = [0, 0];
  let same = true;
  while (i < a.nodes.length || j < b.nodes.length) {
    const [x, y] = [a.nodes[i], b.nodes[j]];
    const order = x === undefined ? 1 : y === undefined ? -1 : compareElements(x.element, y.element);
    const node = pick(order <= 0 ? x : undefined, order >= 0 ? y : undefined);
    if (order <= 0) i++;
    if (order >= 0) j++;
    same &&= node === x && order <= 0;
    if (node && (node.member || node.below)) made.push(node);
  }
  if (same) return a;
  return made.length === 0 ? NO_FIELDS : FieldSet.of(made);
}

/** Returns the paths of either. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a.isEmpty || a === b) return b;
  if (b.isEmpty) return a;
  return zip(a, b, (x, y) => either(x, y, union));
}
