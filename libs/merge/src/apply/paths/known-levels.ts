import { FieldSet, type Node } from './field-set.js';

/** Levels that are kept at one place of a type. */
const KEPT = 8;
/** Nodes of a level, and bytes that it takes with all below it; larger ones are not kept. */
const WIDEST = 256;
const LARGEST = 512 << 10;
/** Bytes of all kept levels; beyond that all are dropped. */
const MOST = 32 << 20;

/** Places where levels are kept. They are collected with their types, and so are their levels. */
const places = new Set<WeakRef<KnownLevels>>();
let held = 0;

/** Estimated bytes of the kept levels; those of types that are gone may still be included. */
export const heldByLevels = (): number => held;

/**
 * Cache of recent levels of sets at one place of a type. Objects come in few shapes: levels of the same nodes are one,
 * so that everything derived from it (its text, the set without fields that are never owned) is there already.
 */
export class KnownLevels {
  #levels: FieldSet[] = [];
  #isPlace = false;
  #made: { readonly from: object; readonly parts: readonly (FieldSet | undefined)[] } | undefined;

  /**
   * Returns the level that is made of parts, in whatever order `from` says; undefined for none. The same parts as the
   * last time give the same level.
   */
  made(from: object, parts: readonly (FieldSet | undefined)[], make: () => readonly Node[]): FieldSet | undefined {
    if (this.#made?.from === from && sameParts(this.#made.parts, parts)) return this.#levels[0];
    const level = this.of(make());
    this.#made = level && level === this.#levels[0] ? { from, parts } : undefined;
    return level;
  }

  /** Returns the level of these nodes, which are in order; undefined for none. */
  of(nodes: readonly Node[]): FieldSet | undefined {
    if (nodes.length === 0) return undefined;
    const at = this.#levels.findIndex((level) => sameNodes(level.nodes, nodes));
    this.#made = undefined;
    if (at >= 0) return this.#first(at);
    const level = FieldSet.of(nodes);
    if (nodes.length <= WIDEST && level.weight <= LARGEST) this.#keep(level);
    return level;
  }

  #first(at: number): FieldSet | undefined {
    const [level] = this.#levels.splice(at, 1);
    if (level) this.#levels.unshift(level);
    return level;
  }

  #keep(level: FieldSet): void {
    held += level.weight;
    if (held > MOST) {
      forgetAll();
      held = level.weight;
    }
    if (this.#levels.length >= KEPT) held -= this.#levels.pop()?.weight ?? 0;
    this.#levels.unshift(level);
    if (!this.#isPlace) places.add(new WeakRef(this));
    this.#isPlace = true;
  }

  forget(): void {
    this.#levels = [];
    this.#made = undefined;
    this.#isPlace = false;
  }
}

/** The levels at one place of a type, by kind of set. */
export class LevelsOfPlace {
  /** Levels of values that were added or removed as a whole. */
  readonly everything = new KnownLevels();
  /** Levels of changes. */
  readonly changes = new KnownLevels();
  /** Levels owned by an applier of the value. */
  readonly owned = new KnownLevels();
  /** Same with the fields that lead there. */
  readonly named = new KnownLevels();
}

function forgetAll(): void {
  for (const place of places) place.deref()?.forget();
  places.clear();
  held = 0;
}

function sameParts(a: readonly (FieldSet | undefined)[], b: readonly (FieldSet | undefined)[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function sameNodes(a: readonly Node[], b: readonly Node[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as Node, b[i] as Node];
    if (x.element !== y.element || x.below !== y.below || x.member !== y.member) return false;
  }
  return true;
}
