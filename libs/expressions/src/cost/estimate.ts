import {
  ACCUMULATOR,
  type CallNode,
  type ComprehensionNode,
  type Expression,
  isBinding,
  type ListNode,
  type MapNode,
} from '../syntax/ast.js';
import { Operator } from '../syntax/operators.js';
import type { Checked } from '../types/checker.js';
import { type CelType, valueOfOptional } from '../types/type.js';
import { byteCount, pointCount } from '../values/strings.js';
import { type Argument, estimateCall } from './call-estimates.js';
import { type EstimateRange, exactly, NOTHING, ONE, plus, sum, times, UNKNOWN, union } from './range.js';

/**
 * Returns the size at a path from a variable, as far as its declaration says: `self`, then names of fields, `@items`,
 * `@keys` and `@values`.
 */
export type DeclaredSizes = (path: readonly string[]) => EstimateRange | undefined;

const LIST_COST = exactly(10n);
const MAP_COST = exactly(30n);

/** Release by which costs are estimated: later ones know more sizes, and so accept more expressions as cheap enough. */
export type Prices = 'base' | 'later';

/** Estimates the least and the most that an evaluation costs for any values (cel-go, checker/cost.go). */
export const estimate = (checked: Checked, sizes: DeclaredSizes, prices: Prices): EstimateRange =>
  new Estimator(checked, sizes, prices === 'later').of(checked.root);

/** Variables of the loops around a node; innermost first. */
interface Local {
  readonly name: string;
  readonly path: readonly string[] | undefined;
  readonly size?: EstimateRange | undefined;
  readonly entry?: EntrySize | undefined;
  readonly outer: Local | undefined;
}

/** Sizes of the members of a list or map that is made in the expression. */
interface EntrySize {
  readonly kind: 'list' | 'map';
  readonly key: EstimateRange;
  readonly value: EstimateRange;
}

class Estimator {
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, EstimateRange>();
  readonly #entries = new Map<number, EntrySize>();
  readonly #shared = new Map<number, EstimateRange>();
  #locals: Local | undefined;

  constructor(
    private readonly checked: Checked,
    private readonly declared: DeclaredSizes,
    private readonly isLater: boolean,
  ) {}

  of(node: Expression): EstimateRange {
    if (!this.checked.shared.has(node.id)) return this.#of(node);
    const known = this.#shared.get(node.id) ?? this.#of(node);
    this.#shared.set(node.id, known);
    return known;
  }

  #of(node: Expression): EstimateRange {
    switch (node.kind) {
      case 'ident':
        return this.#ident(node.id, node.name);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return this.#list(node);
      case 'map':
        return this.#map(node);
      case 'comprehension':
        return isBinding(node) ? this.#binding(node) : this.#comprehension(node);
      default:
        return NOTHING;
    }
  }

  #ident(id: number, name: string): EstimateRange {
    const local = this.#local(name);
    const path = local ? local.path : [name.replace(/^\./, '')];
    if (path) this.#paths.set(id, path);
    return ONE;
  }

  #local(name: string): Local | undefined {
    for (let local = this.#locals; local; local = local.outer) if (local.name === name) return local;
    return undefined;
  }

  #select(node: Extract<Expression, { kind: 'select' }>): EstimateRange {
    const reference = this.checked.references.get(node.id);
    if (reference) return this.#ident(node.id, reference.name);
    if (node.testOnly) return this.isLater ? this.of(node.operand) : NOTHING;
    const operand = this.of(node.operand);
    this.#paths.set(node.id, [...(this.#paths.get(node.operand.id) ?? []), node.field]);
    const type = this.#typeOf(node.operand)?.kind;
    return type === 'map' || type === 'object' || type === 'param' ? plus(operand, ONE) : operand;
  }

  #list(node: ListNode): EstimateRange {
    const cost = plus(sum(node.elements.map((element) => this.of(element))), LIST_COST);
    if (this.isLater) this.#entries.set(node.id, { kind: 'list', key: ONE, value: this.#unionOf(node.elements) });
    return cost;
  }

  #map(node: MapNode): EstimateRange {
    const keys = node.entries.map(({ key }) => key);
    const values = node.entries.map(({ value }) => value);
    const cost = plus(sum([...keys, ...values].map((each) => this.of(each))), MAP_COST);
    if (this.isLater)
      this.#entries.set(node.id, { kind: 'map', key: this.#unionOf(keys), value: this.#unionOf(values) });
    return cost;
  }

  /** Returns a range that covers the sizes of all nodes; nothing if there are none. */
  #unionOf(nodes: readonly Expression[]): EstimateRange {
    const [first, ...rest] = nodes.map((node) => this.#size(node));
    return first ? rest.reduce(union, first) : NOTHING;
  }

  #call(node: CallNode): EstimateRange {
    const reference = this.checked.references.get(node.id);
    if (reference?.kind !== 'function') return NOTHING;
    const nodes = reference.global ? node.args : [node.target as Expression, ...node.args];
    const args = nodes.map((arg) => this.#argument(arg));
    let cost: EstimateRange | undefined;
    let size: EstimateRange | undefined;
    for (const form of reference.overloads) {
      const estimated = estimateCall(reference.name, form, args, this.isLater);
      cost = cost ? union(cost, estimated.cost) : estimated.cost;
      if (estimated.size) size = size ? union(size, estimated.size) : estimated.size;
      if (form === 'index_list' || form === 'index_map') size = this.#indexed(node, form) ?? size;
    }
    if (size) this.#sizes.set(node.id, size);
    if (this.isLater) this.#noteEntries(node, reference.name, nodes);
    return cost ?? NOTHING;
  }

  /** Records the path of an indexed member; returns its size if that is known for the list or map. */
  #indexed({ id, args }: CallNode, form: 'index_list' | 'index_map'): EstimateRange | undefined {
    const container = args[0] as Expression;
    const path = this.#paths.get(container.id) ?? [];
    this.#paths.set(id, [...path, form === 'index_list' ? '@items' : '@values']);
    return this.#entryOf(container)?.value;
  }

  /** Lists and maps that calls return have members of the sizes of their arguments' members. */
  #noteEntries({ id }: CallNode, name: string, nodes: readonly Expression[]): void {
    if (name === 'dyn') this.#copySizes(id, nodes[0] as Expression);
    if (name !== Operator.add && name !== Operator.conditional) return;
    const [a, b] = nodes.slice(-2).map((each) => this.#entryOf(each));
    if (!a || !b) return;
    this.#entries.set(id, { kind: a.kind, key: union(a.key, b.key), value: union(a.value, b.value) });
  }

  #copySizes(id: number, from: Expression): void {
    const size = this.#knownSize(from);
    if (size) this.#sizes.set(id, size);
    const entry = this.#entryOf(from);
    if (entry) this.#entries.set(id, entry);
  }

  #entryOf(node: Expression): EntrySize | undefined {
    return this.#entries.get(node.id) ?? (node.kind === 'ident' ? this.#local(node.name)?.entry : undefined);
  }

  #argument(node: Expression): Argument {
    const cost = this.of(node);
    const literal = node.kind === 'literal' && node.literal.type === 'int' ? { literal: node.literal.value } : {};
    return { cost, type: this.#typeOf(node), size: this.#size(node), elementSize: this.#elementSize(node), ...literal };
  }

  #comprehension(node: ComprehensionNode): EstimateRange {
    const before = plus(this.of(node.range), this.of(node.initial));
    const outer = this.#locals;
    if (this.isLater) this.#name(node.accumulator, node.initial);
    const holding = this.#locals;
    this.#nameParts(node);
    const round = plus(this.of(node.condition), this.of(node.step));
    this.#locals = holding;
    const after = this.of(node.result);
    this.#locals = outer;
    const count = this.#size(node.range);
    if (this.isLater) this.#noteGathered(node, count);
    return plus(plus(before, after), times(count, round));
  }

  #noteGathered({ id, initial, step }: ComprehensionNode, count: EstimateRange): void {
    if (initial.kind === 'literal') this.#sizes.set(id, ONE);
    if (initial.kind !== 'list' && initial.kind !== 'map') return;
    this.#sizes.set(id, count);
    const entry = this.#entryOf(step);
    if (entry) this.#entries.set(id, entry);
  }

  /** A named value, which the release that has it treats as a loop over nothing. */
  #binding(node: ComprehensionNode): EstimateRange {
    const before = plus(this.of(node.range), this.of(node.initial));
    const outer = this.#locals;
    this.#name(node.accumulator, node.initial);
    const cost = plus(before, this.of(node.result));
    this.#locals = outer;
    this.#copySizes(node.id, node.result);
    return cost;
  }

  /** A variable that holds a value. */
  #name(name: string, node: Expression): void {
    const path = this.#pathOf(node) ?? [];
    this.#locals = { name, path, size: this.#knownSize(node), entry: this.#entryOf(node), outer: this.#locals };
  }

  /** The variables of a loop. */
  #nameParts({ range, variable, second }: ComprehensionNode): void {
    const entry = this.#entryOf(range);
    const kind = entry?.kind ?? this.#typeOf(range)?.kind;
    const path = this.#paths.get(range.id) ?? [];
    const isList = kind === 'list';
    const known = isList || kind === 'map' || this.isLater;
    const key = { path: [...path, isList ? '@indices' : '@keys'], size: entry?.key };
    const value = { path: [...path, isList ? '@items' : '@values'], size: entry?.value };
    const single = isList ? value : key;
    const first = second !== undefined ? key : known ? single : { path: undefined };
    this.#locals = { name: variable, ...first, outer: this.#locals };
    if (second !== undefined) this.#locals = { name: second, ...value, outer: this.#locals };
  }

  #size(node: Expression): EstimateRange {
    return this.#knownSize(node) ?? UNKNOWN;
  }

  #knownSize(node: Expression): EstimateRange | undefined {
    const known = this.#sizes.get(node.id) ?? writtenSize(node, this.isLater) ?? this.#declaredSize(this.#pathOf(node));
    if (known) return known;
    if (isScalar(this.#typeOf(node), this.isLater)) return ONE;
    return this.isLater && node.kind === 'ident' ? this.#local(node.name)?.size : undefined;
  }

  #elementSize(node: Expression): EstimateRange | undefined {
    if (this.#typeOf(node)?.kind !== 'list') return undefined;
    const path = this.#pathOf(node);
    return (path && this.#declaredSize([...path, '@items'])) ?? UNKNOWN;
  }

  #declaredSize(path: readonly string[] | undefined): EstimateRange | undefined {
    return path === undefined || path.length === 0 ? undefined : this.declared(path);
  }

  #pathOf(node: Expression): readonly string[] | undefined {
    const path = this.#paths.get(node.id);
    return path?.[0] === ACCUMULATOR ? undefined : path;
  }

  #typeOf(node: Expression): CelType | undefined {
    return this.checked.types.get(node.id);
  }
}

/** Returns the size of a literal in the expression. */
function writtenSize(node: Expression, isLater: boolean): EstimateRange | undefined {
  if (node.kind === 'list') return exactly(BigInt(node.elements.length));
  if (node.kind === 'map') return exactly(BigInt(node.entries.length));
  if (node.kind !== 'literal') return undefined;
  const { literal } = node;
  if (literal.type === 'string') return exactly(BigInt((isLater ? pointCount : byteCount)(literal.value)));
  return exactly(literal.type === 'bytes' ? BigInt(literal.value.length) : 1n);
}

/** Whether values of a type have no length. */
function isScalar(type: CelType | undefined, isLater: boolean): boolean {
  if (type?.kind === 'primitive') return type.name !== 'string' && type.name !== 'bytes';
  const inner = isLater && type ? valueOfOptional(type) : undefined;
  return type?.kind === 'duration' || type?.kind === 'timestamp' || (inner !== undefined && isScalar(inner, isLater));
}
