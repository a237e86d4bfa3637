/** Range of a value in a text: from its first byte to behind its last. */
export interface TextSpan {
  readonly from: number;
  readonly to: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENING = { object: 0x7b, array: 0x5b } as const;
const CLOSING = { object: 0x7d, array: 0x5d } as const;
const SPACE = 0x20;

/**
 * Finds the value of a member. Checks no more of the syntax than finding it takes.
 * @param within an object, with optional surrounding white space
 * @returns undefined for a text that is no object, for a missing or repeated member, and for names that are written
 * with escapes
 */
export function memberIn(text: Buffer, within: TextSpan, name: string): TextSpan | undefined {
  let found: TextSpan | undefined;
  for (let at = start(text, within, OPENING.object); at !== undefined && text[at] !== CLOSING.object; ) {
    const keyEnd = text[at] === QUOTE ? endOfValue(text, at) : undefined;
    const colon = keyEnd && skipSpace(text, keyEnd);
    if (!keyEnd || !colon || text[colon] !== COLON) return undefined;
    const key = text.toString('latin1', at + 1, keyEnd - 1);
    const from = skipSpace(text, colon + 1);
    const to = endOfValue(text, from);
    if (to === undefined || key.includes('\\')) return undefined;
    if (key === name && found) return undefined;
    if (key === name) found = { from, to };
    at = behindComma(text, to, CLOSING.object);
    if (at === undefined) return undefined;
  }
  return found;
}

/** Finds the first items of an array, at most `most`, and counts all of them; undefined for other values. */
export function itemsIn(
  text: Buffer,
  within: TextSpan,
  most: number,
): { items: TextSpan[]; count: number } | undefined {
  const items: TextSpan[] = [];
  let count = 0;
  let at = start(text, within, OPENING.array);
  while (at !== undefined && text[at] !== CLOSING.array) {
    const to = endOfValue(text, at);
    if (to === undefined) return undefined;
    if (count++ < most) items.push({ from: at, to });
    at = behindComma(text, to, CLOSING.array);
  }
  return at === undefined ? undefined : { items, count };
}

/** Position of the first token in an object or array; undefined for other values. */
function start(text: Buffer, { from }: TextSpan, opening: number): number | undefined {
  const at = skipSpace(text, from);
  return text[at] === opening ? skipSpace(text, at + 1) : undefined;
}

/**
 * Position of the next value or name, or of the closing bracket; undefined for anything else. A trailing comma is left
 * to the parser to report.
 */
function behindComma(text: Buffer, at: number, closing: number): number | undefined {
  const next = skipSpace(text, at);
  if (text[next] === closing) return next;
  const behind = skipSpace(text, next + 1);
  return text[next] === COMMA && text[behind] !== closing ? behind : undefined;
}

/** Position of the first character from `at` on that is no white space. */
export function skipSpace(text: Buffer, at: number): number {
  let next = at;
  while (next < text.length && (text[next] as number) <= SPACE) next++;
  return next;
}

/** Position behind the value that begins here; undefined if it does not end. */
export function endOfValue(text: Buffer, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const byte = text[at];
    if (byte === QUOTE) {
      at = endOfString(text, at);
      if (depth === 0) return at < text.length ? at + 1 : undefined;
    } else if (byte === OPENING.object || byte === OPENING.array) depth++;
    else if (byte === CLOSING.object || byte === CLOSING.array) {
      depth--;
      if (depth === 0) return at + 1;
      if (depth < 0) return at > from ? at : undefined;
    } else if (depth === 0 && (byte === COMMA || byte === COLON || (byte as number) <= SPACE)) {
      return at > from ? at : undefined;
    }
  }
  return undefined;
}

/** Position of the quote that ends a string. */
function endOfString(text: Buffer, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== QUOTE) at += text[at] === BACKSLASH ? 2 : 1;
  return at;
}
