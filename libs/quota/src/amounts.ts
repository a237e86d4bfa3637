import { parseQuantity, Quantity, QuantityError } from '@orch/machinery';

/** Amounts by names of resources, in units of 10⁻⁹. */
export type Amounts = ReadonlyMap<string, bigint>;

const NANO = 1_000_000_000n;
const DIGITS = 9;

/** A single unit of a resource. */
export const ONE: bigint = NANO;

/** Returns a whole number of units. */
export const whole = (count: number): bigint => BigInt(count) * NANO;

/** Formats a decimal number, as the store calculates with. */
export function decimalOf(nanos: bigint): string {
  const [sign, amount] = nanos < 0n ? ['-', -nanos] : ['', nanos];
  const fraction = String(amount % NANO)
    .padStart(DIGITS, '0')
    .replace(/0+$/, '');
  return `${sign}${amount / NANO}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Formats an amount for clients, in units of 1024 if those were used in the quota. */
export const shown = (nanos: bigint, binary: boolean): string =>
  new Quantity(nanos, binary ? 'binarySI' : 'decimalSI').toString();

/** Parses a list of quantities; invalid ones, in an unvalidated object, are skipped. */
export function amountsOf(list: unknown): Map<string, bigint> {
  const amounts = new Map<string, bigint>();
  for (const [name, value] of Object.entries((list ?? {}) as Record<string, unknown>)) {
    const amount = amountOf(value);
    if (amount !== undefined) amounts.set(name, amount.nanos);
  }
  return amounts;
}

/** Undefined for an invalid quantity. */
export function amountOf(value: unknown): Quantity | undefined {
  try {
    return typeof value === 'string' || typeof value === 'number' ? parseQuantity(String(value)) : undefined;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

/** Adds to the first. */
export function addTo(sum: Map<string, bigint>, amounts: Amounts): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0n) + amount);
}
