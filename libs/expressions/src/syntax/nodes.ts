import type { ComprehensionNode, Expression, IdentNode, Literal } from './ast.js';
import type { Operator } from './operators.js';

/** Makes the nodes of one expression, each with a number of its own. */
export class Nodes {
  #next = 1;

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

  list(offset: number, elements: readonly Expression[]): Expression {
    return { kind: 'list', id: this.id(), offset, elements };
  }

  /** A loop of a macro. */
  comprehension(offset: number, parts: Omit<ComprehensionNode, 'kind' | 'id' | 'offset' | 'accumulator'>): Expression {
    return { kind: 'comprehension', id: this.id(), offset, accumulator: ACCUMULATOR, ...parts };
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

/**
 * Variable that holds what a macro gathered so far. In the reference it is `__result__`, which expressions can name as well,
 * and so make values that hold themselves; this one they cannot.
 */
export const ACCUMULATOR = '@result';
