import { ACCUMULATOR, type Expression } from './ast.js';
import {
  BASE_MACROS,
  bool,
  type Expand,
  MacroError,
  type Macros,
  onlyOne,
  quantified,
  quantifier,
  type Variables,
  variableOf,
} from './macros.js';
import { Operator } from './operators.js';

/** Name of the function that adds to the map of a loop, which expressions cannot write. */
export const MAP_INSERT = 'cel.@mapInsert';

/** Variables of the index or key and of the element. */
const two: Variables = (args) => {
  const [first, element] = args as readonly [Expression, Expression];
  const variable = quantified(first);
  const second = quantified(element);
  if (variable === second) throw new MacroError(`duplicate variable name: ${variable}`, element.offset);
  return { variable, second };
};

/** Builds the node that adds an element to the accumulator of a loop. */
type Adding = (
  nodes: Parameters<Expand>[0],
  offset: number,
  gathered: Expression,
  found: { readonly key: string; readonly made: Expression },
) => Expression;

/** A loop that adds its result for each element that passes the test, if there is one. */
const gathering =
  (initial: 'list' | 'map', add: Adding): Expand =>
  (nodes, offset, range, args) => {
    const { variable, second } = two(args);
    const gathered = () => nodes.ident(offset, ACCUMULATOR);
    const made = args.at(-1) as Expression;
    const added = add(nodes, offset, gathered(), { key: variable, made });
    const test = args.length === 4 ? args[2] : undefined;
    return nodes.comprehension(offset, {
      range,
      variable,
      ...(second !== undefined && { second }),
      initial: initial === 'list' ? nodes.list(offset, []) : nodes.emptyMap(offset),
      condition: bool(nodes, offset, true),
      step: test === undefined ? added : nodes.call(offset, Operator.conditional, [test, added, gathered()]),
      result: gathered(),
    });
  };

const transformList = gathering('list', (nodes, offset, gathered, { made }) =>
  nodes.call(offset, Operator.add, [gathered, nodes.list(offset, [made])]),
);
const transformMap = gathering('map', (nodes, offset, gathered, { key, made }) =>
  nodes.call(offset, MAP_INSERT, [gathered, nodes.ident(offset, key), made]),
);
const transformMapEntry = gathering('map', (nodes, offset, gathered, { made }) =>
  nodes.call(offset, MAP_INSERT, [gathered, made]),
);

/** `optMap` and `optFlatMap`: transform the value of an optional, if it has one. */
const ofValue =
  (name: string, isFlat: boolean): Expand =>
  (nodes, offset, target, [variable, made]) => {
    const named = variableOf(
      variable as Expression,
      `${name}() variable name must be a simple identifier`,
      variable?.offset,
    );
    nodes.shared.add(target.id);
    const value = nodes.call(offset, 'value', [], target);
    const bound = nodes.binding(offset, named, value, made as Expression);
    return nodes.call(offset, Operator.conditional, [
      nodes.call(offset, 'hasValue', [], target),
      isFlat ? bound : nodes.call(offset, 'optional.of', [bound]),
      nodes.call(offset, 'optional.none', []),
    ]);
  };

/**
 * Macros including those of later releases: loops with two variables (cel-go, ext/comprehensions.go), and optionals
 * (cel/library.go).
 */
export const LATER_MACROS: Macros = new Map([
  ...BASE_MACROS,
  ['existsOne/2', onlyOne()],
  ['all/3', quantifier(false, two)],
  ['exists/3', quantifier(true, two)],
  ['existsOne/3', onlyOne(two)],
  ['exists_one/3', onlyOne(two)],
  ['transformList/3', transformList],
  ['transformList/4', transformList],
  ['transformMap/3', transformMap],
  ['transformMap/4', transformMap],
  ['transformMapEntry/3', transformMapEntry],
  ['transformMapEntry/4', transformMapEntry],
  ['optMap/2', ofValue('optMap', false)],
  ['optFlatMap/2', ofValue('optFlatMap', true)],
]);
