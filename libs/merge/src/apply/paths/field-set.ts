import { type JsonObject, type JsonValue, setMember } from '@orch/machinery';
import { PIECE } from '../piece.js';
import { STEP, type Steps } from '../steps.js';
import { isUndivided } from '../undivided.js';
import { Pace, valuesIn } from '../values/few.js';
import { compareElements, type PathElement, PathElementError, parsePathElement } from './path-element.js';
import { sortInSteps } from './sort-in-steps.js';

/** How a child is found below an object, step by step. */
export type Path = readonly PathElement[];

/** The path as people read it: `.spec.containers[name="a"].image`. */
export const pathText = (path: Path): string => path.join('');

/** Whether a child belongs to the set itself, and what belongs to it further down. At least one of the two. */
export interface Node {
  readonly element: PathElement;
  readonly member: boolean;
  readonly below: FieldSet | undefined;
}

/** Member of a trie that says that the place itself is in the set beside what is below it. */
export const SELF = '.';

/** Nodes of a level beyond which they are found by their texts: each search takes several comparisons of texts. */
const WIDE = 64;

/** What a level takes, a node of it, and how often the text of an element may be there: its own, in JSON, and in that of the level. */
const LEVEL_BYTES = 200;
const NODE_BYTES = 250;
const FORMS = 3;

/** What stands in `fieldsV1` at a place with nothing below it. */
const LEAF: JsonObject = Object.freeze({});

/** `fieldsV1` that is no set of fields. */
export class FieldsV1Error extends Error {
  override readonly name = 'FieldsV1Error';
}

/**
 * A set of paths as a trie whose levels are sorted. A path that is in the set says nothing of those below it. Never
 * changed once it is made; the empty set is {@link NO_FIELDS}.
 *
 * A level is a list of nodes, or the object that stands for it in `fieldsV1`: each is made of the other when somebody
 * asks for it, so that of the large sets which are only carried along the few levels are read where something changes.
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

  /** The set of nodes in the order of {@link compareElements}, each element once. */
  static of(nodes: readonly Node[]): FieldSet {
    return new FieldSet(nodes, undefined);
  }

  /** The set of a trie that the server has written: sorted, and with all texts in their one form. */
  static written(trie: JsonObject): FieldSet {
    return new FieldSet(undefined, trie);
  }

  /** As {@link written}, the same set each time for the whole of one `fieldsV1`. */
  static whole(fieldsV1: JsonObject): FieldSet {
    let set = wholes.get(fieldsV1);
    if (set === undefined) {
      set = FieldSet.written(fieldsV1);
      wholes.set(fieldsV1, set);
    }
    return set;
  }

  /** The set as a whole `fieldsV1`: frozen, as it is shared. */
  fieldsV1(): JsonObject {
    const fieldsV1 = this.trie(false);
    if (!wholes.has(fieldsV1)) {
      wholes.set(fieldsV1, this);
      made.set(fieldsV1, this);
    }
    return fieldsV1;
  }

  /** In the order of {@link compareElements}, each element once. @throws FieldsV1Error when it comes of something else */
  get nodes(): readonly Node[] {
    this.#nodes ??= nodesOf(this.#trie ?? {});
    return this.#nodes;
  }

  /**
   * Reads all levels of a set of very many paths, in steps: whoever looks at it afterwards does not have to. Of others nothing is read.
   * @throws FieldsV1Error
   */
  *read(): Steps<FieldSet> {
    if (this.#isRead || !this.isMany) return this;
    const pace = new Pace();
    for (const { below } of yield* this.readLevel()) {
      if (below?.isMany) yield* below.read();
      if (pace.isOver(paceOf(below))) yield STEP;
    }
    this.#isRead = true;
    return this;
  }

  /** The {@link nodes}, read in steps. @throws FieldsV1Error */
  *readLevel(): Steps<readonly Node[]> {
    this.#nodes ??= yield* nodesInSteps(this.#trie ?? {});
    return this.#nodes;
  }

  /** Whether it has so many nodes on all its levels that working on them is more than one step. Reads none. */
  get isMany(): boolean {
    if (isUndivided()) return false;
    this.#isMany ??= this.#count(PIECE) > PIECE;
    return this.#isMany;
  }

  /** How many nodes it has, or a number above `most`. */
  #count(most: number): number {
    if (this.#nodes === undefined) return valuesIn(this.#trie ?? {}, most + 1) - 1;
    let nodes = this.#nodes.length;
    for (const { below } of this.#nodes) {
      if (nodes > most) break;
      if (below) nodes += below.#isMany ? most + 1 : below.#count(most - nodes);
    }
    return nodes;
  }

  /**
   * The level as it stands in `fieldsV1`: frozen, as it is shared.
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

  /** Makes the {@link trie} and the {@link text} beforehand, in steps. */
  *write(self: boolean): Steps<void> {
    if (!this.isMany) return;
    const pace = new Pace();
    for (const { member, below } of yield* this.readLevel()) {
      if (below?.isMany) yield* below.write(member);
      else below?.trie(member);
      if (pace.isOver(paceOf(below))) yield STEP;
    }
    yield STEP;
    this.trie(self);
    yield STEP;
    this.#text ??= yield* textInSteps(this.nodes);
  }

  /** What stands between the braces of the level in `fieldsV1`, byte for byte as the reference writes it, but for the place itself. */
  get text(): string {
    this.#text ??= textOf(this.nodes);
    return this.#text;
  }

  /** Bytes that it takes to keep it with all that may be made of it, what is below included; about. */
  get weight(): number {
    this.#weight ??= this.nodes.reduce(
      (sum, { element, below }) => sum + NODE_BYTES + FORMS * element.text.length + (below?.weight ?? 0),
      LEVEL_BYTES,
    );
    return this.#weight;
  }

  /** What stands at the element of a text of `fieldsV1`; undefined when nothing does. */
  atText(text: string): Node | undefined {
    this.#byText ??= new Map(this.nodes.map((node) => [node.element.text, node]));
    return this.#byText.get(text);
  }

  /** Whether it has no path. */
  get isEmpty(): boolean {
    return this.nodes.length === 0;
  }

  /** What stands at an element; undefined when nothing does. */
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
    return this.nodes.reduce((sum, { member, below }) => sum + Number(member) + (below?.size ?? 0), 0);
  }

  /** Every path: those of a level before those below it. */
  *paths(above: Path = []): Generator<Path> {
    for (const { element, member } of this.nodes) if (member) yield [...above, element];
    for (const { element, below } of this.nodes) if (below) yield* below.paths([...above, element]);
  }
}

/** Sets by the `fieldsV1` that stand for them, of wholes only: a table of every level costs more than the levels. */
const wholes = new WeakMap<JsonObject, FieldSet>();

/** Those that were made of their sets, not the other way round. */
const made = new WeakMap<JsonObject, FieldSet>();

/** The text of a trie that was made of a set; undefined for any other. */
export function knownText(trie: JsonObject): string | undefined {
  const set = made.get(trie);
  return set && `{${set.text}}`;
}

function textOf(nodes: readonly Node[]): string {
  let text = '';
  for (const node of nodes) text = withNode(text, node);
  return text;
}

/** As {@link textOf}; what is below is there already where there is much of it. */
function* textInSteps(nodes: readonly Node[]): Steps<string> {
  let text = '';
  const pace = new Pace();
  for (const node of nodes) {
    text = withNode(text, node);
    if (pace.isOver(paceOf(node.below))) yield STEP;
  }
  return text;
}

function withNode(text: string, { element, member, below }: Node): string {
  const named = text === '' ? element.json : `${text},${element.json}`;
  return below ? `${named}{${member ? `".":{},` : ''}${below.text}}` : `${named}{}`;
}

/** What a set counts for in the step of what it is below: one of very many nodes has steps of its own. */
export const paceOf = (set: FieldSet | undefined): number => (set === undefined || set.isMany ? 1 : 1 + set.size);

/** The set without a path. */
export const NO_FIELDS = FieldSet.of([]);

/** Reads one level. @throws FieldsV1Error */
function nodesOf(trie: JsonObject): readonly Node[] {
  const level = new LevelBuilder();
  for (const text of Object.keys(trie)) addWritten(level, text, trie[text] ?? null);
  return level.nodes;
}

/** As {@link nodesOf}. */
function* nodesInSteps(trie: JsonObject): Steps<readonly Node[]> {
  const level = new LevelBuilder();
  const pace = new Pace();
  for (const text of Object.keys(trie)) {
    if (pace.isOver()) yield STEP;
    addWritten(level, text, trie[text] ?? null);
  }
  return yield* level.nodesInSteps();
}

/** @throws FieldsV1Error */
function addWritten(level: LevelBuilder, text: string, content: JsonValue): void {
  if (text === SELF) return;
  const element = elementOf(text);
  if (element === undefined) return;
  const below = content !== null && hasBelow(content, text) ? FieldSet.written(content) : undefined;
  level.add(element, below === undefined || Object.hasOwn(content as JsonObject, SELF), below);
}

/** The element of a member of a trie; undefined for kinds that later releases may know. @throws FieldsV1Error */
export function elementOf(text: string): PathElement | undefined {
  try {
    return parsePathElement(text);
  } catch (error) {
    if (error instanceof PathElementError) throw new FieldsV1Error(`parsing key as path element: ${error.message}`);
    throw error;
  }
}

/** Whether a level has anything but the place itself. @throws FieldsV1Error for what is no level */
function hasBelow(content: JsonValue, text: string): content is JsonObject {
  if (typeof content !== 'object' || Array.isArray(content))
    throw new FieldsV1Error(`an object was expected at ${text}`);
  for (const name in content) if (name !== SELF) return true;
  return false;
}

const byElement = (a: Node, b: Node): number => compareElements(a.element, b.element);

/** Puts a level together; elements may come in any order and more than once. */
export class LevelBuilder {
  #nodes: Node[] = [];
  #inOrder = true;

  /** Adds a child; one that is there already becomes the union of both. */
  add(element: PathElement, member: boolean, below: FieldSet | undefined): void {
    const last = this.#nodes.at(-1);
    if (last && compareElements(last.element, element) >= 0) this.#inOrder = false;
    this.#nodes.push({ element, member, below });
  }

  /** What was added so far, in order. */
  get nodes(): readonly Node[] {
    if (!this.#inOrder) this.#sort();
    return this.#nodes;
  }

  /** As {@link nodes}. */
  *nodesInSteps(): Steps<readonly Node[]> {
    if (!this.#inOrder) this.#settle(yield* sortInSteps(this.#nodes, (some) => some.sort(byElement), byElement));
    return this.#nodes;
  }

  /** Once and at the end: an object may have tens of thousands of fields in any order. */
  #sort(): void {
    this.#settle(this.#nodes.sort(byElement));
  }

  /** Joins what stands at one element. */
  #settle(inOrder: readonly Node[]): void {
    const sorted: Node[] = [];
    for (const node of inOrder) {
      const last = sorted.at(-1);
      if (last && compareElements(last.element, node.element) === 0) sorted[sorted.length - 1] = joined(last, node);
      else sorted.push(node);
    }
    this.#nodes = sorted;
    this.#inOrder = true;
  }

  /** The level; undefined when nothing was added. */
  build(): FieldSet | undefined {
    return this.#nodes.length === 0 ? undefined : FieldSet.of(this.nodes);
  }

  /** As {@link build}. */
  *buildInSteps(): Steps<FieldSet | undefined> {
    return this.#nodes.length === 0 ? undefined : FieldSet.of(yield* this.nodesInSteps());
  }
}

const joined = (a: Node, b: Node, join = union): Node =>
  changedNode(a, a.member || b.member, a.below && b.below ? join(a.below, b.below) : (a.below ?? b.below));

/** What of two sets stands at an element in their {@link union}. @param join their union of what is below */
export const either = (x: Node | undefined, y: Node | undefined, join: typeof union): Node | undefined =>
  x && y ? joined(x, y, join) : (x ?? y);

/** The node with other content; itself when nothing is other. */
export const changedNode = (node: Node, member: boolean, below: FieldSet | undefined): Node =>
  member === node.member && below === node.below ? node : { element: node.element, member, below };

/**
 * Goes through two levels side by side and keeps what `pick` makes of each element that either has. The first set itself
 * when all its nodes stay and none comes.
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

/** Paths of either. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a.isEmpty || a === b) return b;
  if (b.isEmpty) return a;
  return zip(a, b, (x, y) => either(x, y, union));
}
