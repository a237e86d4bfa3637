const NULLS: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL']);
const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
/** Integers of every base, after removal of underscores. */
const DECIMAL = /^[-+]?(?:0|[1-9][0-9]*)$/;
const OCTAL = /^([-+]?)0[oO]?([0-7]+)$/;
const PREFIXED = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
/** A number that begins with a point may have underscores between digits only. */
const POINT_FIRST = /^\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+)?$/;
const NOT_FINITE = /^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$/;

/** Whether a word, which begins with a letter, is not a plain text; no number begins with one. */
export const isReservedWord = (word: string): boolean =>
  word.length <= 5 && (NULLS.has(word) || TRUE.test(word) || FALSE.test(word));

/** An unquoted scalar: the short name of its tag, and its value; for infinities and NaN the text itself. */
type PlainScalar =
  | { readonly tag: 'null'; readonly value: null }
  | { readonly tag: 'bool'; readonly value: boolean }
  | { readonly tag: 'int'; readonly value: number | bigint }
  | { readonly tag: 'float'; readonly value: number | string }
  | { readonly tag: 'str'; readonly value: string };

/**
 * Resolves an unquoted YAML scalar, in the dialect of the ecosystem: YAML 1.1 with `yes`, `on` and leading zeros for
 * octal, but neither base 60 nor timestamps, which stay text.
 */
export function plainScalar(text: string): PlainScalar {
  if (NULLS.has(text)) return { tag: 'null', value: null };
  if (TRUE.test(text)) return { tag: 'bool', value: true };
  if (FALSE.test(text)) return { tag: 'bool', value: false };
  if (NOT_FINITE.test(text)) return { tag: 'float', value: text };
  return (/^[-+.0-9]/.test(text) && numberOf(text)) || { tag: 'str', value: text };
}

function numberOf(text: string): PlainScalar | undefined {
  if (text.startsWith('.')) return POINT_FIRST.test(text) ? float(text.replaceAll('_', '')) : undefined;
  const digits = text.replaceAll('_', '');
  return integer(digits) ?? (FLOAT.test(digits) ? float(digits) : undefined);
}

/** Returns a float; a number out of a double's range is text. */
function float(digits: string): PlainScalar | undefined {
  const value = Number(digits);
  return Number.isFinite(value) ? { tag: 'float', value } : undefined;
}

const LEAST = -(2n ** 63n);
const MOST = 2n ** 64n - 1n;
/** Longer integers, in any base, exceed 64 bits. */
const MAX_DIGITS = 70;

/** Returns an integer of 64 bits; undefined for larger ones. */
function integer(digits: string): PlainScalar | undefined {
  if (digits.length > MAX_DIGITS) return undefined;
  const written = bareInteger(digits);
  if (written === undefined) return undefined;
  const value = BigInt(written) * (digits.startsWith('-') ? -1n : 1n);
  if (value < LEAST || value > MOST) return undefined;
  const number = Number(value);
  return { tag: 'int', value: Number.isSafeInteger(number) ? number : value };
}

/** Returns the text of an integer without its sign, in JavaScript's notation of its base. */
function bareInteger(digits: string): string | undefined {
  if (DECIMAL.test(digits)) return digits.replace(/^[-+]/, '');
  const octal = OCTAL.exec(digits);
  if (octal) return `0o${octal[2]}`;
  return PREFIXED.exec(digits)?.[2]?.toLowerCase();
}
