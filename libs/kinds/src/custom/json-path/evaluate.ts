import type { JsonValue } from '@orch/machinery';
import { compareAs, type Operand } from './compare.js';
import type { JsonPath, PathNode, SliceNode } from './node.js';

/**
 * Most values that one path may visit. Paths that branch repeatedly find more than could be shown: a path that needs
 * more finds nothing.
 */
const MAX_PASSED = 20_000;
/** Most values that the paths of one row may visit together. */
const MAX_PASSED_OF_ROW = 60_000;
/** Number of characters whose comparison takes about as long as a visit of a value. */
const CHARACTERS_OF_VALUE = 64;

/**
 * Counts the values that the paths of one row visit, and the size of the shown results: once the limit is reached,
 * further paths find nothing.
 */
export class RowEffort {
  #left = MAX_PASSED_OF_ROW;

  /** Whether the limit of the row is exceeded. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** Counts visited values. */
  pass(values: number): void {
    this.#left -= values;
  }
}

/**
 * Thrown internally for a value that a path cannot be applied to; `found` counts as the result in tests of existence.
 */
class Unfit extends Error {
  constructor(readonly found: readonly JsonValue[]) {
    super();
  }
}

/**
 * Returns the values that a path finds, in order; none if the path does not fit (an index beyond the end, a filter of a
 * value that is no list) or visits more than 20,000 values, or more than are left for its row. Missing members are
 * skipped.
 * @param row counts the values of all paths of the row; default for a single path
 */
export function findAll(value: JsonValue, path: JsonPath, row = new RowEffort()): readonly JsonValue[] {
  if (row.isSpent) return [];
  try {
    return new Evaluation(row).follow([value], path);
  } catch (error) {
    if (error instanceof Unfit || error instanceof TooLong) return [];
    throw error;
  }
}

class TooLong extends Error {}

class Evaluation {
  #left = MAX_PASSED;

  constructor(private readonly row: RowEffort) {}

  follow(values: readonly JsonValue[], path: JsonPath): readonly JsonValue[] {
    let found = values;
    for (const node of path) found = this.#step(found, node);
    return found;
  }

  #step(values: readonly JsonValue[], node: PathNode): readonly JsonValue[] {
    this.#pass(1 + values.length);
    switch (node.kind) {
      case 'literal':
        return typeof node.value === 'string' ? [node.value] : values.map(() => node.value);
      case 'field':
        return values.flatMap((value) => memberOf(value, node.name));
      case 'wildcard':
        return values.flatMap((value) => this.#parts(value));
      case 'recursive':
        return values.flatMap((value) => this.#below(value));
      case 'slice':
        return this.#slices(values, node);
      case 'union':
        return node.paths.flatMap((path) => this.#branch(values, path));
      case 'exists':
        return this.#filter(values, (item) => this.#exists(item, node.path));
      case 'compare':
        return this.#filter(values, (item) => this.#compares(item, node));
      case 'word':
        throw new Unfit(values);
    }
  }

  #pass(values: number): void {
    this.#left -= values;
    this.row.pass(values);
    if (this.#left < 0 || this.row.isSpent) throw new TooLong();
  }

  #parts(value: JsonValue): readonly JsonValue[] {
    // A text yields as many values as it has bytes.
    if (typeof value === 'string') this.#pass(value.length);
    const parts =
      typeof value === 'string'
        ? [...Buffer.from(value)]
        : Array.isArray(value)
          ? value
          : typeof value === 'object' && value !== null
            ? (Object.values(value) as JsonValue[])
            : [];
    this.#pass(parts.length);
    return parts;
  }

  /** Returns the value and all values below it that have parts, each before its own parts. */
  #below(value: JsonValue): JsonValue[] {
    const found: JsonValue[] = [];
    const open = [value];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const parts = this.#parts(next);
      if (parts.length === 0) continue;
      found.push(next);
      if (typeof next === 'string') continue;
      for (let at = parts.length - 1; at >= 0; at--) open.push(parts[at] as JsonValue);
    }
    return found;
  }

  #slices(values: readonly JsonValue[], node: SliceNode): JsonValue[] {
    const found: JsonValue[] = [];
    for (const value of values) {
      if (value === null) continue;
      if (!Array.isArray(value)) throw new Unfit(values);
      const { length } = value;
      const [from, to] = rangeOf(node, length);
      // As in the reference, the first empty range ends the search.
      if (from === to) return found;
      const fits = from >= 0 && from < to && to <= length && (node.step ?? 1) > 0;
      if (!fits) throw new Unfit(values);
      this.#pass(Math.ceil((to - from) / (node.step ?? 1)));
      for (let at = from; at < to; at += node.step ?? 1) found.push(value[at] as JsonValue);
    }
    return found;
  }

  #branch(values: readonly JsonValue[], path: JsonPath): readonly JsonValue[] {
    try {
      return this.follow(values, path);
    } catch (error) {
      throw error instanceof Unfit ? new Unfit(values) : error;
    }
  }

  #filter(values: readonly JsonValue[], keeps: (item: JsonValue) => boolean): JsonValue[] {
    return values.flatMap((value) => {
      if (!Array.isArray(value)) throw new Unfit(values);
      this.#pass(value.length);
      return value.filter(keeps);
    });
  }

  #exists(item: JsonValue, path: JsonPath): boolean {
    try {
      return this.follow([item], path).length > 0;
    } catch (error) {
      if (error instanceof Unfit) return error.found.length > 0;
      throw error;
    }
  }

  #compares(item: JsonValue, { left, operator, right }: PathNode & { kind: 'compare' }): boolean {
    const a = this.#operand(item, left);
    const b = a && this.#operand(item, right);
    if (!a || !b) return false;
    this.#pass(Math.ceil((lengthOf(a.value) + lengthOf(b.value)) / CHARACTERS_OF_VALUE));
    const verdict = compareAs(operator, a, b);
    if (verdict === undefined) throw new Unfit([item]);
    return verdict;
  }

  /** Returns the single value that is found; undefined for none. */
  #operand(item: JsonValue, path: JsonPath): Operand | undefined {
    const [value, ...more] = this.follow([item], path);
    if (more.length > 0) throw new Unfit([item]);
    const [last] = path.slice(-1);
    return value === undefined ? undefined : { value, fraction: last?.kind === 'literal' && last.fraction === true };
  }
}

const lengthOf = (value: JsonValue): number => (typeof value === 'string' ? value.length : 0);

function memberOf(value: JsonValue, name: string): JsonValue[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)) return [];
  const member = value[name];
  return member === undefined ? [] : [member];
}

function rangeOf({ from: said, to, one }: SliceNode, length: number): [from: number, to: number] {
  const start = said ?? 0;
  const from = start < 0 ? start + length : start;
  if (one) return [from, start + 1 <= 0 ? start + 1 + length : start + 1];
  if (to === undefined) return [from, length];
  return [from, to < 0 ? to + length : to];
}
