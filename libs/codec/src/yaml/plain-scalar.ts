const NULLS: ReadonlySet<string> = new Set(['', '~', 'null', 'Null', 'NULL']);
const TRUE = /^(?:y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:n|N|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const DECIMAL = /^[-+]?(?:0|[1-9][0-9_]*)$/;
const OCTAL = /^([-+]?)0o?([0-7_]+)$/;
const PREFIXED = /^([-+]?)(0[xX][0-9a-fA-F_]+|0[bB][01_]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** Whether a word, which begins with a letter, means something else than itself; no number begins with one. */
export const isReservedWord = (word: string): boolean =>
  word.length <= 5 && (NULLS.has(word) || TRUE.test(word) || FALSE.test(word));

const narrowed = (value: bigint): number | bigint => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
};

/** Longer integers, in whatever base, are beyond 64 bits: they are read as doubles. */
const MAX_DIGITS = 70;

function signed(sign: string, written: string): number | bigint {
  const digits = written.replaceAll('_', '');
  const negative = sign === '-';
  if (digits.length > MAX_DIGITS) return Number(digits) * (negative ? -1 : 1);
  return narrowed(BigInt(digits) * (negative ? -1n : 1n));
}

/**
 * What an unquoted YAML scalar means, in the dialect that the ecosystem writes: YAML 1.1 with `yes`, `on` and leading
 * zeros for octal, but neither base 60 nor timestamps, which stay text.
 */
export function plainScalar(text: string): null | boolean | number | bigint | string {
  const value = resolved(text);
  return typeof value === 'number' && !Number.isFinite(value) ? text : value;
}

function resolved(text: string): null | boolean | number | bigint | string {
  if (NULLS.has(text)) return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  if (DECIMAL.test(text)) return signed(text.startsWith('-') ? '-' : '', text.replace(/^[-+]/, ''));
  const octal = OCTAL.exec(text);
  if (octal?.[2] && /[0-7]/.test(octal[2])) return signed(octal[1] ?? '', `0o${octal[2]}`);
  const prefixed = PREFIXED.exec(text);
  if (prefixed?.[2]) return signed(prefixed[1] ?? '', prefixed[2].toLowerCase());
  if (FLOAT.test(text)) return Number(text);
  return text;
}
