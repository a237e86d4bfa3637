/** Names of the functions behind operators, as they appear in messages. */
export const Operator = {
  conditional: '_?_:_',
  and: '_&&_',
  or: '_||_',
  not: '!_',
  equals: '_==_',
  notEquals: '_!=_',
  less: '_<_',
  lessEquals: '_<=_',
  greater: '_>_',
  greaterEquals: '_>=_',
  add: '_+_',
  subtract: '_-_',
  multiply: '_*_',
  divide: '_/_',
  modulo: '_%_',
  negate: '-_',
  index: '_[_]',
  optionalSelect: '_?._',
  optionalIndex: '_[?_]',
  in: '@in',
  notStrictlyFalse: '@not_strictly_false',
} as const;

/** The two levels of binary operators that are neither `&&` nor `||`, by their tokens. */
export const RELATIONS: ReadonlyMap<string, string> = new Map([
  ['<', Operator.less],
  ['<=', Operator.lessEquals],
  ['>=', Operator.greaterEquals],
  ['>', Operator.greater],
  ['==', Operator.equals],
  ['!=', Operator.notEquals],
  ['in', Operator.in],
]);
/** Multiplicative operators by their tokens. */
export const PRODUCTS: ReadonlyMap<string, string> = new Map([
  ['*', Operator.multiply],
  ['/', Operator.divide],
  ['%', Operator.modulo],
]);
/** Additive operators by their tokens. */
export const SUMS: ReadonlyMap<string, string> = new Map([
  ['+', Operator.add],
  ['-', Operator.subtract],
]);
