import type { Literal } from './ast.js';
import type { Token } from './lexer.js';

/** Thrown for an invalid string or bytes literal. */
export class UnescapeError extends Error {
  override readonly name = 'UnescapeError';
}

const SIMPLE: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['`', '`'],
  ['?', '?'],
]);
const ESCAPE = /\\(?:([0-3][0-7][0-7])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]))/gu;
const QUOTED = /^([rR]?)("""|'''|"|')([\s\S]*)\2$/u;

/** Text between the quotes, and whether it is raw. Ends of lines become `\n`. */
function content(text: string): { readonly raw: boolean; readonly inner: string } {
  const match = QUOTED.exec(text);
  if (!match) throw new UnescapeError('unable to unescape string');
  return { raw: match[1] !== '', inner: (match[3] as string).replaceAll(/\r\n?/g, '\n') };
}

/** Code point of a numeric escape. */
function numbered(octal?: string, hex?: string, short?: string, long?: string): number | undefined {
  if (octal !== undefined) return Number.parseInt(octal, 8);
  const digits = hex ?? short ?? long;
  return digits === undefined ? undefined : Number.parseInt(digits, 16);
}

const simple = (char: string): string => {
  const value = SIMPLE.get(char);
  if (value === undefined) throw new UnescapeError('unable to unescape string');
  return value;
};

/** Value of a string literal with its quotes. @throws UnescapeError */
function stringValue(text: string): string {
  const { raw, inner } = content(text);
  if (raw) return inner;
  return inner.replace(ESCAPE, (_, octal, hex, short, long, char) => {
    const point = numbered(octal, hex, short, long);
    if (point === undefined) return simple(char);
    if (point > 0x10ffff) throw new UnescapeError('unable to unescape string');
    return point >= 0xd800 && point <= 0xdfff ? '\ufffd' : String.fromCodePoint(point);
  });
}

/** Value of a bytes literal with its quotes, without the prefix `b`. @throws UnescapeError */
function bytesValue(text: string): Uint8Array {
  const { raw, inner } = content(text);
  if (raw) return Buffer.from(inner);
  const parts: Buffer[] = [];
  let last = 0;
  for (const match of inner.matchAll(ESCAPE)) {
    parts.push(Buffer.from(inner.slice(last, match.index)));
    last = match.index + match[0].length;
    const [, octal, hex, short, long, char] = match;
    if (short !== undefined || long !== undefined) throw new UnescapeError('unable to unescape string');
    const byte = numbered(octal, hex);
    parts.push(byte === undefined ? Buffer.from(simple(char as string)) : Buffer.of(byte));
  }
  parts.push(Buffer.from(inner.slice(last)));
  return new Uint8Array(Buffer.concat(parts));
}

const MAX_INT = (1n << 63n) - 1n;
const MAX_UINT = (1n << 64n) - 1n;

/** Returns the value of a literal token. @throws UnescapeError */
export function literalOf({ kind, text }: Token, sign: string): Literal {
  switch (kind) {
    case 'int':
      return { type: 'int', value: integer(text, sign, 'int') };
    case 'uint':
      return { type: 'uint', value: integer(text.slice(0, -1), sign, 'uint') };
    case 'double': {
      const value = Number(sign + text);
      if (!Number.isFinite(value)) throw new UnescapeError('invalid double literal');
      return { type: 'double', value };
    }
    case 'string':
      return { type: 'string', value: stringValue(text) };
    case 'bytes':
      return { type: 'bytes', value: bytesValue(text.slice(1)) };
    case 'null':
      return { type: 'null' };
    default:
      return { type: 'bool', value: kind === 'true' };
  }
}

function integer(text: string, sign: string, type: 'int' | 'uint'): bigint {
  const [least, most] = type === 'int' ? [-MAX_INT - 1n, MAX_INT] : [0n, MAX_UINT];
  // Longer ones are beyond all limits, and parsing them would take quadratic time.
  const digits = text.startsWith('0x') ? text.slice(2).replace(/^0+/, '') : text.replace(/^0+/, '');
  const magnitude =
    digits.length > 20 ? MAX_UINT + 1n : BigInt(text.startsWith('0x') ? `0x${digits || '0'}` : digits || '0');
  const value = sign === '-' ? -magnitude : magnitude;
  if (value < least || value > most) throw new UnescapeError(`invalid ${type} literal`);
  return value;
}
