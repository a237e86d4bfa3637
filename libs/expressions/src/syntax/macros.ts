import { ACCUMULATOR, type Expression } from './ast.js';
import type { Nodes } from './nodes.js';
import { Operator } from './operators.js';

/** Thrown by a macro that cannot be expanded; the location is the call's by default. */
export class MacroError extends Error {
  constructor(
    message: string,
    readonly offset?: number,
  ) {
    super(message);
  }
}

/** Expands a call; `offset` is the call's. */
export type Expand = (nodes: Nodes, offset: number, target: Expression, args: readonly Expression[]) => Expression;

/** Macros that are called as methods, by name and number of arguments: `all/2`. */
export type Macros = ReadonlyMap<string, Expand>;

/** Returns the name of the loop's variable, which must be a plain identifier. */
export function variableOf(argument: Expression, message: string, at?: number): string {
  if (argument.kind !== 'ident') throw new MacroError(message, at);
  return argument.name;
}

/** Returns the name of the variable of a quantifier. */
export const quantified = (argument: Expression): string =>
  variableOf(argument, 'argument must be a simple name', argument.offset);
const mapped = (argument: Expression): string => variableOf(argument, 'argument is not an identifier');

/** Creates a boolean literal. */
export const bool = (nodes: Nodes, offset: number, value: boolean) => nodes.literal(offset, { type: 'bool', value });
const int = (nodes: Nodes, offset: number, value: bigint) => nodes.literal(offset, { type: 'int', value });

/** Reads the arguments that name the variables of a loop. */
export type Variables = (args: readonly Expression[]) => { readonly variable: string; readonly second?: string };

const one: Variables = ([name]) => ({ variable: quantified(name as Expression) });

/** `all` and `exists`: a loop that runs until an element decides. @param decisive the result then */
export const quantifier =
  (decisive: boolean, variables = one): Expand =>
  (nodes, offset, range, args) => {
    const accumulated = () => nodes.ident(offset, ACCUMULATOR);
    const open = decisive ? nodes.call(offset, Operator.not, [accumulated()]) : accumulated();
    return nodes.comprehension(offset, {
      range,
      ...variables(args),
      initial: bool(nodes, offset, !decisive),
      condition: nodes.call(offset, Operator.notStrictlyFalse, [open]),
      step: nodes.call(offset, decisive ? Operator.or : Operator.and, [accumulated(), args.at(-1) as Expression]),
      result: accumulated(),
    });
  };

/** `exists_one`: a loop that counts the elements that pass the test. */
export const onlyOne =
  (variables = one): Expand =>
  (nodes, offset, range, args) => {
    const counted = () => nodes.ident(offset, ACCUMULATOR);
    const more = nodes.call(offset, Operator.add, [counted(), int(nodes, offset, 1n)]);
    return nodes.comprehension(offset, {
      range,
      ...variables(args),
      initial: int(nodes, offset, 0n),
      condition: bool(nodes, offset, true),
      step: nodes.call(offset, Operator.conditional, [args.at(-1) as Expression, more, counted()]),
      result: nodes.call(offset, Operator.equals, [counted(), int(nodes, offset, 1n)]),
    });
  };

/** A loop that appends an element for each one that passes the test, if there is one. */
function gathering(
  nodes: Nodes,
  offset: number,
  range: Expression,
  variable: string,
  parts: { readonly test: Expression | undefined; readonly element: Expression },
): Expression {
  const gathered = () => nodes.ident(offset, ACCUMULATOR);
  const added = nodes.call(offset, Operator.add, [gathered(), nodes.list(offset, [parts.element])]);
  return nodes.comprehension(offset, {
    range,
    variable,
    initial: nodes.list(offset, []),
    condition: bool(nodes, offset, true),
    step: parts.test === undefined ? added : nodes.call(offset, Operator.conditional, [parts.test, added, gathered()]),
    result: gathered(),
  });
}

const map: Expand = (nodes, offset, range, args) => {
  const variable = mapped(args[0] as Expression);
  const [test, element] = args.length === 3 ? [args[1], args[2]] : [undefined, args[1]];
  return gathering(nodes, offset, range, variable, { test, element: element as Expression });
};

const filter: Expand = (nodes, offset, range, [name, test]) => {
  const variable = mapped(name as Expression);
  return gathering(nodes, offset, range, variable, { test, element: name as Expression });
};

/** Macros of release 1.27. */
export const BASE_MACROS: Macros = new Map([
  ['all/2', quantifier(false)],
  ['exists/2', quantifier(true)],
  ['exists_one/2', onlyOne()],
  ['map/2', map],
  ['map/3', map],
  ['filter/2', filter],
]);

/** Expands a call of a macro, as cel-go does (parser/macro.go); undefined for other calls. @throws MacroError */
export function expandMacro(
  nodes: Nodes,
  offset: number,
  call: { readonly name: string; readonly target?: Expression; readonly args: readonly Expression[] },
  methods: Macros,
): Expression | undefined {
  const { name, target, args } = call;
  if (target !== undefined) return methods.get(`${name}/${args.length}`)?.(nodes, offset, target, args);
  if (name !== 'has' || args.length !== 1) return undefined;
  const [argument] = args as [Expression];
  if (argument.kind !== 'select') throw new MacroError('invalid argument to has() macro');
  return nodes.select(offset, argument.operand, argument.field, true);
}
