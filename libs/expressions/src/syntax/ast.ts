/** A literal in the source. `int` is within 64 bits, `uint` unsigned; `bytes` must not be changed. */
export type Literal =
  | { readonly type: 'null' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int' | 'uint'; readonly value: bigint }
  | { readonly type: 'double'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'bytes'; readonly value: Uint8Array };

/**
 * Accumulator variable of a macro. In the reference of 1.27 it is `__result__`, which expressions can use as well, and
 * so make values that contain themselves; this one they cannot.
 */
export const ACCUMULATOR = '@result';

interface Node {
  /** Identifies a node within an expression; one node may occur several times in a macro's expansion. */
  readonly id: number;
  /** In code points from the start of the source. */
  readonly offset: number;
}

/** A literal. */
interface LiteralNode extends Node {
  readonly kind: 'literal';
  readonly literal: Literal;
}

/** A variable or the name of a type; a leading dot belongs to the name. */
export interface IdentNode extends Node {
  readonly kind: 'ident';
  readonly name: string;
}

/** `operand.field`, or `has(operand.field)` with {@link testOnly}. */
interface SelectNode extends Node {
  readonly kind: 'select';
  readonly operand: Expression;
  readonly field: string;
  readonly testOnly: boolean;
}

/** A call of a function or an operator (see `operators.ts`), with a target if it is written as a method. */
export interface CallNode extends Node {
  readonly kind: 'call';
  readonly function: string;
  readonly target?: Expression;
  readonly args: readonly Expression[];
}

/** `[a, ?b]`. */
export interface ListNode extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expression[];
  /** Indexes of elements that are present only if their optional has a value; undefined for none. */
  readonly optional?: ReadonlySet<number>;
}

/** An entry of a map; an optional one is present only if its value has one. */
export interface MapEntry {
  readonly key: Expression;
  readonly value: Expression;
  readonly isOptional: boolean;
}

/** `{a: b, ?c: d}`. */
export interface MapNode extends Node {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

/** `name{a: b}`. */
interface MessageNode extends Node {
  readonly kind: 'message';
  readonly name: string;
  readonly entries: readonly { readonly field: string; readonly offset: number; readonly value: Expression }[];
}

/** A loop over a list, or over the keys of a map; list macros expand to it. */
export interface ComprehensionNode extends Node {
  readonly kind: 'comprehension';
  readonly range: Expression;
  /** Name of the variable that holds the element. */
  readonly variable: string;
  /** Name of the variable that holds the element, if the first holds its index or key. */
  readonly second?: string;
  /** Name of the accumulator variable. */
  readonly accumulator: string;
  readonly initial: Expression;
  /** The loop continues until it is false. */
  readonly condition: Expression;
  readonly step: Expression;
  readonly result: Expression;
}

/** Whether a loop only names a value, as macros of optionals do. */
export const isBinding = ({ range, condition, accumulator }: ComprehensionNode): boolean =>
  range.kind === 'list' &&
  range.elements.length === 0 &&
  condition.kind === 'literal' &&
  condition.literal.type === 'bool' &&
  !condition.literal.value &&
  accumulator !== ACCUMULATOR;

/** A node of an expression. */
export type Expression =
  | LiteralNode
  | IdentNode
  | SelectNode
  | CallNode
  | ListNode
  | MapNode
  | MessageNode
  | ComprehensionNode;

/** Returns `a.b.c` for a chain of names; undefined for all else. */
export function qualifiedName(node: Expression): string | undefined {
  if (node.kind === 'ident') return node.name;
  if (node.kind !== 'select' || node.testOnly) return undefined;
  const operand = qualifiedName(node.operand);
  return operand === undefined ? undefined : `${operand}.${node.field}`;
}
