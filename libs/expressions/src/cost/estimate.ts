import type { CallNode, ComprehensionNode, Expression } from '../syntax/ast.js';
import { ACCUMULATOR } from '../syntax/nodes.js';
import type { Checked } from '../types/checker.js';
import type { Type } from '../types/type.js';
import { byteCount } from '../values/strings.js';
import { type Argument, estimateCall } from './call-estimates.js';
import { exactly, MAX, NOTHING, ONE, plus, type Range, sum, times, UNKNOWN, union } from './range.js';

/**
 * Size of what stands at a path from a variable, as far as its declaration tells: `self`, then names of fields, `@items`,
 * `@keys` and `@values`.
 */
export type DeclaredSizes = (path: readonly string[]) => Range | undefined;

const LIST_COST = exactly(10n);
const MAP_COST = exactly(30n);

/** The least and the most that an evaluation costs, whatever the values are (cel-go, checker/cost.go). */
export const estimate = (checked: Checked, sizes: DeclaredSizes): Range =>
  new Estimator(checked, sizes).of(checked.root);

/** Variables of the loops around a node, with what they run over; innermost first. */
interface Loop {
  readonly variable: string;
  readonly range: Expression;
  readonly outer: Loop | undefined;
}

class Estimator {
  readonly #paths = new Map<number, readonly string[]>();
  readonly #sizes = new Map<number, Range>();
  #loops: Loop | undefined;

  constructor(
    private readonly checked: Checked,
    private readonly declared: DeclaredSizes,
  ) {}

  of(node: Expression): Range {
    switch (node.kind) {
      case 'ident':
        return this.#ident(node.id, node.name);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
        return plus(sum(node.elements.map((element) => this.of(element))), LIST_COST);
      case 'map':
        return plus(sum(node.entries.flatMap(({ key, value }) => [this.of(key), this.of(value)])), MAP_COST);
      case 'comprehension':
        return this.#comprehension(node);
      default:
        return NOTHING;
    }
  }

  #ident(id: number, name: string): Range {
    const range = this.#rangeOf(name);
    if (range === undefined) this.#paths.set(id, [name.replace(/^\./, '')]);
    else {
      const type = this.#typeOf(range)?.kind;
      const path = this.#paths.get(range.id) ?? [];
      if (type === 'list') this.#paths.set(id, [...path, '@items']);
      else if (type === 'map') this.#paths.set(id, [...path, '@keys']);
    }
    return ONE;
  }

  #rangeOf(variable: string): Expression | undefined {
    for (let loop = this.#loops; loop; loop = loop.outer) if (loop.variable === variable) return loop.range;
    return undefined;
  }

  #select(node: Extract<Expression, { kind: 'select' }>): Range {
    const reference = this.checked.references.get(node.id);
    if (reference) return this.#ident(node.id, reference.name);
    if (node.testOnly) return NOTHING;
    const operand = this.of(node.operand);
    this.#paths.set(node.id, [...(this.#paths.get(node.operand.id) ?? []), node.field]);
    const type = this.#typeOf(node.operand)?.kind;
    return type === 'map' || type === 'object' || type === 'param' ? plus(operand, ONE) : operand;
  }

  #call(node: CallNode): Range {
    const reference = this.checked.references.get(node.id);
    if (reference?.kind !== 'function') return NOTHING;
    const nodes = reference.global ? node.args : [node.target as Expression, ...node.args];
    const args = nodes.map((arg) => this.#argument(arg));
    let cost: Range | undefined;
    let size: Range | undefined;
    for (const form of reference.overloads) {
      const estimated = estimateCall(reference.name, form, args);
      cost = cost ? union(cost, estimated.cost) : estimated.cost;
      if (estimated.size) size = size ? union(size, estimated.size) : estimated.size;
      this.#indexed(node, form);
    }
    if (size) this.#sizes.set(node.id, size);
    return cost ?? NOTHING;
  }

  /** Notes the path of a part that an index takes. */
  #indexed({ id, args }: CallNode, form: string): void {
    if (form !== 'index_list' && form !== 'index_map') return;
    const path = this.#paths.get((args[0] as Expression).id) ?? [];
    this.#paths.set(id, [...path, form === 'index_list' ? '@items' : '@values']);
  }

  #argument(node: Expression): Argument {
    const cost = this.of(node);
    const literal = node.kind === 'literal' && node.literal.type === 'int' ? { literal: node.literal.value } : {};
    return { cost, type: this.#typeOf(node), size: this.#size(node), elementSize: this.#elementSize(node), ...literal };
  }

  #comprehension(node: ComprehensionNode): Range {
    const before = plus(this.of(node.range), this.of(node.initial));
    const outer = this.#loops;
    this.#loops = { variable: node.variable, range: node.range, outer };
    const round = plus(this.of(node.condition), this.of(node.step));
    this.#loops = outer;
    const after = this.of(node.result);
    return plus(plus(before, after), times(this.#size(node.range), round));
  }

  #size(node: Expression): Range {
    const known = this.#sizes.get(node.id) ?? writtenSize(node) ?? this.#declaredSize(this.#pathOf(node));
    return known ?? (isScalar(this.#typeOf(node)) ? ONE : UNKNOWN);
  }

  #elementSize(node: Expression): Range | undefined {
    if (this.#typeOf(node)?.kind !== 'list') return undefined;
    const path = this.#pathOf(node);
    return (path && this.#declaredSize([...path, '@items'])) ?? UNKNOWN;
  }

  #declaredSize(path: readonly string[] | undefined): Range | undefined {
    return path === undefined || path.length === 0 ? undefined : this.declared(path);
  }

  #pathOf(node: Expression): readonly string[] | undefined {
    const path = this.#paths.get(node.id);
    return path?.[0] === ACCUMULATOR ? undefined : path;
  }

  #typeOf(node: Expression): Type | undefined {
    return this.checked.types.get(node.id);
  }
}

/** Size of what is written out in the expression. */
function writtenSize(node: Expression): Range | undefined {
  if (node.kind === 'list') return exactly(BigInt(node.elements.length));
  if (node.kind === 'map') return exactly(BigInt(node.entries.length));
  if (node.kind !== 'literal') return undefined;
  if (node.literal.type === 'string') return exactly(BigInt(byteCount(node.literal.value)));
  return exactly(node.literal.type === 'bytes' ? BigInt(node.literal.value.length) : 1n);
}

/** Types of later libraries whose values are compared at once. */
const COMPARED_AT_ONCE = new Set(['kubernetes.Quantity', 'net.IP', 'net.CIDR']);

/** Whether values of a type have no length. */
function isScalar(type: Type | undefined): boolean {
  if (type?.kind === 'object') return COMPARED_AT_ONCE.has(type.name);
  if (type?.kind === 'primitive') return type.name !== 'string' && type.name !== 'bytes';
  return type?.kind === 'duration' || type?.kind === 'timestamp';
}

/** A cost as the reference writes it. */
export const formatCost = (cost: bigint): string => (cost > MAX ? MAX : cost).toString();
