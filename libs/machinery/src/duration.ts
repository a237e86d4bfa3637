/** Thrown for texts that are not durations such as `5m0s`. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
}

const SECOND = 1_000_000_000n;
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
};
const MAX = (1n << 63n) - 1n;
const PART = /(\d*)(?:\.(\d*))?([^\d.]*)/y;
/** Maximum number of digits, without leading zeros; parsing takes quadratic time. */
const MOST_DIGITS = 64;

/**
 * Parses a duration as Go writes it, to nanoseconds: consecutive decimal numbers with units `ns us ms s m h`.
 * @throws DurationError
 */
export function parseDuration(text: string): bigint {
  const sign = /^[+-]/.exec(text)?.[0] ?? '';
  if (text === `${sign}0`) return 0n;
  const part = new RegExp(PART);
  part.lastIndex = sign.length;
  let total = 0n;
  if (sign.length === text.length) throw malformed(text);
  while (part.lastIndex < text.length) {
    const [, whole = '', fraction = '', unit = ''] = part.exec(text) ?? [];
    if (whole === '' && fraction === '') throw malformed(text);
    total += sizeOf(text, whole, fraction, unit);
    if (total > MAX) throw malformed(text);
  }
  return sign === '-' ? -total : total;
}

function sizeOf(text: string, whole: string, fraction: string, unit: string): bigint {
  if (unit === '') throw new DurationError(`time: missing unit in duration ${JSON.stringify(text)}`);
  const size = Object.hasOwn(UNITS, unit) ? UNITS[unit] : undefined;
  if (size === undefined) {
    throw new DurationError(`time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`);
  }
  if (whole.length > MOST_DIGITS || fraction.length > MOST_DIGITS) throw malformed(text);
  const rest = fraction === '' ? 0n : (BigInt(fraction) * size) / 10n ** BigInt(fraction.length);
  return BigInt(whole || 0) * size + rest;
}

const malformed = (text: string) => new DurationError(`time: invalid duration ${JSON.stringify(text)}`);

/** Formats nanoseconds as Go does: `1h0m0s`, `5m0s`, `1.5s`, `100ms`, `0s`. */
export function formatDuration(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (size < SECOND) {
    const unit = size < 1_000n ? 'ns' : size < 1_000_000n ? 'µs' : 'ms';
    return `${sign}${decimal(size, UNITS[unit] ?? 1n)}${unit}`;
  }
  const minutes = size / (60n * SECOND);
  const seconds = `${decimal(size % (60n * SECOND), SECOND)}s`;
  if (minutes === 0n) return `${sign}${seconds}`;
  const hours = minutes / 60n;
  return hours === 0n ? `${sign}${minutes}m${seconds}` : `${sign}${hours}h${minutes % 60n}m${seconds}`;
}

/** `value / unit` with as many decimals as it takes. */
function decimal(value: bigint, unit: bigint): string {
  const rest = value % unit;
  if (rest === 0n) return String(value / unit);
  const digits = String(unit).length - 1;
  return `${value / unit}.${String(rest).padStart(digits, '0').replace(/0+$/, '')}`;
}
