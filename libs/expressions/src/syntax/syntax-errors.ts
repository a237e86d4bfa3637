import type { Token, TokenKind } from './lexer.js';

/** Tokens that can begin an operand, in the order in which messages list them. */
const STARTS: readonly TokenKind[] = [
  '[',
  '{',
  '(',
  '.',
  '-',
  '!',
  'true',
  'false',
  'null',
  'double',
  'int',
  'uint',
  'string',
  'bytes',
  'identifier',
];
const SYMBOLS: ReadonlyMap<TokenKind, string> = new Map([
  ['double', 'NUM_FLOAT'],
  ['int', 'NUM_INT'],
  ['uint', 'NUM_UINT'],
  ['string', 'STRING'],
  ['bytes', 'BYTES'],
  ['identifier', 'IDENTIFIER'],
  ['end', '<EOF>'],
]);
/** Tokens that can follow an operand. */
const CONTINUATIONS = new Set<TokenKind>(
  'end ) ] } , : ? && || < <= >= > == != in + - * / %'.split(' ').concat(['.', '[']),
);

const shown = (kind: TokenKind): string => SYMBOLS.get(kind) ?? `'${kind}'`;

/** Whether an operand can begin with a token. */
export const beginsOperand = (kind: TokenKind): boolean => STARTS.includes(kind);

/** Message of the reference where no operand begins. */
export function operandMissing(token: Token, next: Token | undefined): string {
  const expected = `expecting {${STARTS.map(shown).join(', ')}}`;
  const deletable = token.kind !== 'end' && next !== undefined && beginsOperand(next.kind);
  return `Syntax error: ${deletable ? 'extraneous' : 'mismatched'} input '${token.text}' ${expected}`;
}

/**
 * Message of the reference for another token than expected: it looks whether the present one is superfluous, or one is
 * missing before it.
 */
export function tokenMissing(wanted: TokenKind, token: Token, next: Token | undefined): string {
  if (token.kind !== 'end' && next?.kind === wanted)
    return `Syntax error: extraneous input '${token.text}' expecting ${shown(wanted)}`;
  const closes = wanted === ')' || wanted === ']' || wanted === '}' || wanted === 'identifier';
  if (closes && CONTINUATIONS.has(token.kind)) return `Syntax error: missing ${shown(wanted)} at '${token.text}'`;
  return `Syntax error: mismatched input '${token.text}' expecting ${shown(wanted)}`;
}
