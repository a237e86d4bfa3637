import {
  ACCUMULATOR,
  type ComprehensionNode,
  type Expression,
  type IdentNode,
  type ListNode,
  type Literal,
} from './ast.js';
import type { Operator } from './operators.js';

/** Makes the nodes of one expression, each with a unique number. */
export class Nodes {
  #next = 1;
  /** Numbers of nodes that occur several times in an expansion, with their content: each is checked and priced once. */
  readonly shared = new Set<number>();

  /** Number of the next node. */
  id(): number {
    return this.#next++;
  }

  literal(offset: number, literal: Literal): Expression {
    return { kind: 'literal', id: this.id(), offset, literal };
  }

  ident(offset: number, name: string): IdentNode {
    return { kind: 'ident', id: this.id(), offset, name };
  }

  call(offset: number, name: string, args: readonly Expression[], target?: Expression): Expression {
    const call = { kind: 'call', id: this.id(), offset, function: name, args } as const;
    return target === undefined ? call : { ...call, target };
  }

  select(offset: number, operand: Expression, field: string, testOnly = false): Expression {
    return { kind: 'select', id: this.id(), offset, operand, field, testOnly };
  }

  list(offset: number, elements: readonly Expression[]): ListNode {
    return { kind: 'list', id: this.id(), offset, elements };
  }

  /** `{}`. */
  emptyMap(offset: number): Expression {
    return { kind: 'map', id: this.id(), offset, entries: [] };
  }

  /** A loop of a macro. */
  comprehension(offset: number, parts: Omit<ComprehensionNode, 'kind' | 'id' | 'offset' | 'accumulator'>): Expression {
    return { kind: 'comprehension', id: this.id(), offset, accumulator: ACCUMULATOR, ...parts };
  }

  /** Binds a name to a value in another expression, as a loop over nothing; see {@link isBinding}. */
  binding(offset: number, name: string, initial: Expression, result: Expression): Expression {
    return {
      kind: 'comprehension',
      id: this.id(),
      offset,
      range: this.list(offset, []),
      variable: '#unused',
      accumulator: name,
      initial,
      condition: this.literal(offset, { type: 'bool', value: false }),
      step: this.ident(offset, name),
      result,
    };
  }

  /** A tree of `&&` or `||` as flat as its number of terms allows; `offsets` are those of the operators. */
  balanced(operator: typeof Operator.and | typeof Operator.or, terms: Expression[], offsets: number[]): Expression {
    const tree = (low: number, high: number): Expression => {
      const middle = (low + high + 1) >> 1;
      const left = middle === low ? (terms[middle] as Expression) : tree(low, middle - 1);
      const right = middle === high ? (terms[middle + 1] as Expression) : tree(middle + 1, high);
      return this.call(offsets[middle] as number, operator, [left, right]);
    };
    return terms.length === 1 ? (terms[0] as Expression) : tree(0, offsets.length - 1);
  }
}
