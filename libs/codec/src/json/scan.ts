/** What stands in a text outside of its strings. */
export interface JsonScan {
  /** Number of object members, repeated ones counted each time. */
  readonly members: number;
  /** Number of objects, lists, and commas between what they hold: no fewer than the values but one. */
  readonly values: number;
  /** Deepest nesting of objects and arrays; 0 for a bare scalar. */
  readonly depth: number;
  /** A number has an exponent, or so many digits that a double might not hold it. */
  readonly wideNumber: boolean;
}

export interface ScanLimits {
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

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

/** Where the string ends that begins at `at`; the end of the text for one that does not end. */
export function stringEnd(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (text.charCodeAt(end - 1) === BACKSLASH && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** One pass over the characters outside of strings. It takes any text; what it says is true of valid JSON. */
export function scanJson(text: string, { maxDepth, maxValues }: ScanLimits): JsonScan {
  let [members, values, depth, deepest, digits] = [0, 0, 0, 0, 0];
  let wideNumber = false;
  for (let i = 0; i < text.length && deepest <= maxDepth && values <= maxValues; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x30 && code <= 0x39) {
      if (++digits >= WIDE_DIGITS) wideNumber = true;
      continue;
    }
    // An exponent may lead beyond the range of a double.
    if (digits > 0 && (code === 0x65 || code === 0x45)) wideNumber = true;
    digits = 0;
    if (code === QUOTE) i = stringEnd(text, i);
    else if (code === COLON) members++;
    else if (code === COMMA) values++;
    else if (code === 0x7b || code === 0x5b) {
      values++;
      if (++depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return { members, values, depth: deepest, wideNumber };
}
