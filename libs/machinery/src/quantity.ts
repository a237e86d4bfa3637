/** Thrown for texts that are not quantities. */
export class QuantityError extends Error {
  override readonly name = 'QuantityError';
}

/** Family of suffixes in which a quantity was written, and is formatted. */
export type QuantityFormat = 'decimalSI' | 'binarySI' | 'decimalExponent';

/** No two of its parts can match the same characters, so that matching takes linear time. */
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:([a-zA-Z]+)([+-]?\d*)|([+-]\d*))?$/;
/** Maximum length in characters, which bounds the arithmetic. */
const MAX_LENGTH = 512;
const FORM_TEXT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX_TEXT = "unable to parse quantity's suffix";

/** Texts that are already in canonical form, and need no computation. */
const PLAINLY_CANONICAL = /^(?:0|[1-9]\d{0,2}(?:m|k|M|G|T|Ki|Mi|Gi|Ti)?)$/;

const NANOS_DIGITS = 9;
const NANO = 10n ** BigInt(NANOS_DIGITS);
/** The largest amount, in nanos; larger ones are cut to it. */
const MAX_NANOS = ((1n << 63n) - 1n) * NANO;
/** Exponents beyond this are decided without computing the power. */
const EXPONENT_BOUND = 60;

const DECIMAL_SUFFIX = new Map<string, number>([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const SUFFIX_OF = new Map([...DECIMAL_SUFFIX].map(([suffix, exponent]) => [exponent, suffix]));
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** An exact amount of a resource: a number of nanos, and the family of suffixes to format it with. */
export class Quantity {
  constructor(
    /** The amount in units of 10⁻⁹; at most 2⁶³−1 whole units when it was parsed. */
    readonly nanos: bigint,
    /** Suffixes for formatting; fractions are always formatted with decimal ones. */
    readonly format: QuantityFormat,
  ) {}

  /** Returns a negative number, zero or a positive one, as for sorting. */
  compare(other: Quantity): number {
    return this.nanos < other.nanos ? -1 : this.nanos > other.nanos ? 1 : 0;
  }

  /** Returns whole units, rounded away from zero. */
  value(): bigint {
    return divideAway(this.nanos, NANO);
  }

  /** Returns thousandths, rounded away from zero. */
  milliValue(): bigint {
    return divideAway(this.nanos, NANO / 1000n);
  }

  /** Returns the canonical form: no precision lost, no fraction, the largest suffix that allows it. */
  toString(): string {
    if (this.nanos === 0n) return '0';
    const binary = this.format === 'binarySI' && this.nanos % NANO === 0n;
    const units = this.nanos / NANO;
    if (binary && (units >= 1024n || units <= -1024n)) return binaryForm(units);
    return decimalForm(this.nanos, this.format === 'decimalExponent');
  }
}

function binaryForm(units: bigint): string {
  let amount = units;
  let step = 0;
  while (amount % 1024n === 0n && step < BINARY_SUFFIXES.length - 1) {
    amount /= 1024n;
    step++;
  }
  return `${amount}${BINARY_SUFFIXES[step]}`;
}

function decimalForm(nanos: bigint, exponential: boolean): string {
  let amount = nanos;
  let exponent = -NANOS_DIGITS;
  while (amount % 1000n === 0n && exponent < 18) {
    amount /= 1000n;
    exponent += 3;
  }
  if (exponential) return exponent === 0 ? String(amount) : `${amount}e${exponent}`;
  return `${amount}${SUFFIX_OF.get(exponent) ?? ''}`;
}

function divideAway(value: bigint, by: bigint): bigint {
  const whole = value / by;
  const rest = value % by;
  return rest === 0n ? whole : whole + (value < 0n ? -1n : 1n);
}

/** Nanos of one unit of each suffix for whole numbers. */
const NANOS_OF: ReadonlyMap<string, bigint> = new Map([
  ...[...DECIMAL_SUFFIX].map(([suffix, exponent]) => [suffix, 10n ** BigInt(exponent + NANOS_DIGITS)] as const),
  ...BINARY_SUFFIXES.slice(1).map((suffix, step) => [suffix, (1n << BigInt(10 * (step + 1))) * NANO] as const),
]);
/** Digits of numbers that a double holds exactly. */
const SHORT = 15;

/** Parses the usual form: a short whole number, and perhaps a suffix. Undefined for all others. */
function parseWhole(text: string): Quantity | undefined {
  let digits = 0;
  while (isDigit(text.charCodeAt(digits))) digits++;
  const suffix = text.slice(digits);
  const factor = NANOS_OF.get(suffix);
  if (digits === 0 || digits > SHORT || factor === undefined) return undefined;
  const nanos = BigInt(Number(text.slice(0, digits))) * factor;
  if (nanos > MAX_NANOS) return undefined;
  return new Quantity(nanos, suffix.endsWith('i') && nanos > 0n ? 'binarySI' : 'decimalSI');
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/** @throws QuantityError */
export function parseQuantity(text: string): Quantity {
  return parseWhole(text) ?? parseAny(text);
}

function parseAny(text: string): Quantity {
  const match = text.length > MAX_LENGTH ? undefined : FORM.exec(text);
  if (!match) throw new QuantityError(FORM_TEXT);
  const [, sign = '', whole = '', fraction = '', letters = '', behind, bare] = match;
  const digits = behind ?? bare ?? '';
  if (whole === '' && fraction === '') throw new QuantityError(FORM_TEXT);
  const scale = scaleOf(letters, digits);
  const unscaled = BigInt(`${whole}${fraction}` || '0') * scale.factor;
  const magnitude = toNanos(unscaled, scale.exponent - fraction.length);
  const nanos = sign === '-' ? -magnitude : magnitude;
  // Less than one in powers of two would be formatted inexactly.
  const format = scale.format === 'binarySI' && magnitude < NANO ? 'decimalSI' : scale.format;
  return new Quantity(nanos, format);
}

interface Scale {
  readonly format: QuantityFormat;
  readonly factor: bigint;
  readonly exponent: number;
}

function scaleOf(letters: string, digits: string): Scale {
  if (digits !== '') {
    if ((letters !== 'e' && letters !== 'E') || !/\d/.test(digits)) throw new QuantityError(SUFFIX_TEXT);
    return { format: 'decimalExponent', factor: 1n, exponent: Number(digits) };
  }
  const exponent = DECIMAL_SUFFIX.get(letters);
  if (exponent !== undefined) return { format: 'decimalSI', factor: 1n, exponent };
  const step = BINARY_SUFFIXES.indexOf(letters);
  if (step < 0) throw new QuantityError(SUFFIX_TEXT);
  return { format: 'binarySI', factor: 1n << BigInt(10 * step), exponent: 0 };
}

/** Returns `unscaled × 10^exponent` in nanos, rounded up to a whole one and cut to the largest amount. */
function toNanos(unscaled: bigint, exponent: number): bigint {
  if (unscaled === 0n) return 0n;
  const shift = exponent + NANOS_DIGITS;
  if (shift > EXPONENT_BOUND) return MAX_NANOS;
  // Shifting a number by more than its digits below a nano leaves nothing.
  if (shift < 0 && -shift > String(unscaled).length) return 1n;
  const nanos = shift >= 0 ? unscaled * 10n ** BigInt(shift) : divideAway(unscaled, 10n ** BigInt(-shift));
  return nanos > MAX_NANOS ? MAX_NANOS : nanos;
}

/**
 * Returns the canonical form of a quantity: `1000m` is `1`, `0.5` is `500m`, `1024Mi` is `1Gi`. @throws QuantityError
 */
export function canonicalQuantity(text: string): string {
  return PLAINLY_CANONICAL.test(text) ? text : parseQuantity(text).toString();
}
