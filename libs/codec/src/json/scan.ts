/** What a text that is known to be valid JSON holds. */
export interface JsonScan {
  /** Number of object members, repeated ones counted each time. */
  readonly members: number;
  /** Deepest nesting of objects and arrays; 0 for a bare scalar. */
  readonly depth: number;
  /** A number has an exponent, or so many digits that a double might not hold it. */
  readonly wideNumber: boolean;
}

/** Integers of fewer digits are below 2^53. */
const WIDE_DIGITS = 16;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** Whether an odd number of backslashes stands before `at`. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (at - before) % 2 === 0;
}

/** One pass over the characters outside of strings. The text must be valid JSON. */
export function scanJson(text: string): JsonScan {
  let members = 0;
  let depth = 0;
  let deepest = 0;
  let digits = 0;
  let wideNumber = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 0x30 && code <= 0x39) {
      if (++digits >= WIDE_DIGITS) wideNumber = true;
      continue;
    }
    // An exponent may lead beyond the range of a double.
    if (digits > 0 && (code === 0x65 || code === 0x45)) wideNumber = true;
    digits = 0;
    if (code === QUOTE) {
      i = text.indexOf('"', i + 1);
      while (text.charCodeAt(i - 1) === BACKSLASH && isEscaped(text, i)) i = text.indexOf('"', i + 1);
    } else if (code === COLON) {
      members++;
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > deepest) deepest = depth;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    }
  }
  return { members, depth: deepest, wideNumber };
}
