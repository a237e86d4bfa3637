// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ASCII = /^[\x00-\x7f]*$/;

/** Whether a text has only one-byte characters, the usual case. */
export const isAscii = (text: string): boolean => ASCII.test(text);

/** Counts the code points of a text. */
export function pointCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < text.length) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next < 0xe000) {
        count--;
        i++;
      }
    }
  }
  return count;
}

/** Counts the bytes of a text in UTF-8. */
export const byteCount = (text: string): number => Buffer.byteLength(text);

/** Formats a double as Go's `%g`. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 6) return scientific(mantissa, power);
  return plain(value);
}

function scientific(mantissa: string, power: number): string {
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Formats a double with all its digits and no exponent. */
export function plain(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign = '', first = '', rest = '', exponent = '0'] = match;
  const power = Number(exponent);
  const digits = first + rest;
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  return sign + digits.padEnd(power + 1, '0');
}
