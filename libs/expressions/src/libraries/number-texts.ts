/** Maximum number of fraction digits. */
const MOST_DIGITS = 100;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** A finite double as a mantissa and a power of two, exactly. */
function exact(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(value));
  const bits = view.getBigUint64(0);
  const fraction = bits & ((1n << 52n) - 1n);
  const biased = Number(bits >> 52n);
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

/** Formats a finite double with this many fraction digits; a half rounds to the even digit. */
export function fixed(value: number, digits: number): string {
  const written = Math.min(digits, MOST_DIGITS);
  const { mantissa, exponent } = exact(value);
  const scaled = mantissa * 10n ** BigInt(written);
  let whole = exponent >= 0 ? scaled << BigInt(exponent) : scaled >> BigInt(-exponent);
  if (exponent < 0) {
    const rest = (scaled - (whole << BigInt(-exponent))) * 2n;
    const one = 1n << BigInt(-exponent);
    if (rest > one || (rest === one && whole % 2n === 1n)) whole++;
  }
  const text = whole.toString().padStart(written + 1, '0');
  const point = text.length - written;
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return sign + text.slice(0, point) + (written > 0 ? `.${text.slice(point)}` : '');
}

const special = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '-∞');

/** Same in English notation, in groups of thousands (golang.org/x/text/message). */
export function grouped(value: number, digits: number): string {
  if (!Number.isFinite(value)) return special(value);
  const text = fixed(value === 0 ? 0 : value, digits);
  const end = text.indexOf('.');
  const whole = end < 0 ? text : text.slice(0, end);
  return whole.replace(/\B(?=(?:\d{3})+$)/g, ',') + (end < 0 ? '' : text.slice(end));
}

/**
 * Formats a double with a power of ten. @param width to pad to with spaces, as the reference does with the precision
 */
export function scientific(value: number, width: number): string {
  return (Number.isFinite(value) ? withPower(value) : special(value)).padStart(Math.min(width, MOST_DIGITS));
}

function withPower(value: number): string {
  const [mantissa, power = '0'] = value.toExponential(6).split('e') as [string, string];
  const digits = power.replace(/^[+-]/, '').padStart(2, '0');
  const raised = [...digits].map((digit) => SUPERSCRIPTS[Number(digit)]).join('');
  return `${mantissa}×10${power.startsWith('-') ? '⁻' : ''}${raised}`;
}
