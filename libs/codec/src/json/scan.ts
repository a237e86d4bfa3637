/** Properties of a text outside of its strings. */
interface JsonScan {
  /** Number of object members, repeated ones counted each time. */
  readonly members: number;
  /** Number of objects, lists, and commas between what they hold: no fewer than the values but one. */
  readonly values: number;
  /** Deepest nesting of objects and arrays; 0 for a bare scalar. */
  readonly depth: number;
  /** Whether a number has an exponent, or more digits than a double holds. */
  readonly wideNumber: boolean;
}

interface ScanLimits {
  /** The scan ends as soon as there are more. */
  readonly maxDepth: number;
  readonly maxValues: number;
}

/** Integers of fewer digits are below 2^53. */
const WIDE_DIGITS = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Many at a time, so that the expression has little to backtrack. */
const CHARACTERS = /(?:[^"\\]|\\.){0,1000}/sy;

/** Returns the end of the string that begins at `at`; the end of the text for an unterminated one. */
export function stringEnd(text: string, at: number): number {
  const quote = text.indexOf('"', at + 1);
  if (quote < 0) return text.length;
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote;
  for (let end = at + 1; ; end = CHARACTERS.lastIndex) {
    CHARACTERS.lastIndex = end;
    CHARACTERS.test(text);
    if (CHARACTERS.lastIndex === end) return text.charCodeAt(end) === QUOTE ? end : text.length;
  }
}

const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const NO_SPACE = /[^ \n\r\t]/g;
const NO_DIGIT = /[^0-9]/g;
/**
 * Length of a row of one kind of characters that texts rarely exceed; longer ones are left to a regular expression, 1
 * ns a character.
 */
const FEW = 64;

/** Returns the end of the blanks at `at`, if there are any. */
export const spaceEnd = (text: string, at: number): number => rowEnd(text, at, isSpace, NO_SPACE);

/** Returns the end of the digits at `at`. */
const digitsEnd = (text: string, at: number): number => rowEnd(text, at, isDigit, NO_DIGIT);

/** Returns the end of a row of characters of one kind at `at`. @param other finds one of another kind */
function rowEnd(text: string, at: number, isOne: (code: number) => boolean, other: RegExp): number {
  const few = Math.min(text.length, at + FEW);
  let end = at;
  while (end < few && isOne(text.charCodeAt(end))) end++;
  if (end < few || end === text.length) return end;
  other.lastIndex = end;
  return other.test(text) ? other.lastIndex - 1 : text.length;
}

/** Scans the characters outside of strings once. Accepts any text; the result is correct for valid JSON. */
export function scanJson(text: string, { maxDepth, maxValues }: ScanLimits): JsonScan {
  let [members, values, depth, deepest, digits] = [0, 0, 0, 0, 0];
  let wideNumber = false;
  for (let i = 0; i < text.length && deepest <= maxDepth && values <= maxValues; i++) {
    const code = text.charCodeAt(i);
    if (isDigit(code)) {
      const end = digitsEnd(text, i);
      digits = end - i;
      if (digits >= WIDE_DIGITS) wideNumber = true;
      i = end - 1;
      continue;
    }
    // An exponent may exceed the range of a double.
    if (digits > 0 && (code === 0x65 || code === 0x45)) wideNumber = true;
    digits = 0;
    if (isSpace(code)) i = spaceEnd(text, i) - 1;
    else if (code === QUOTE) i = stringEnd(text, i);
    else if (code === COLON) members++;
    else if (code === COMMA) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return { members, values, depth: deepest, wideNumber };
}
