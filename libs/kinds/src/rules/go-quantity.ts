import { VerbatimValue } from '@orch/machinery';
import { quantityOf } from './checks.js';

const SUFFIX_EXPONENT: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const FORMAT = { decimalSI: 'DecimalSI', binarySI: 'BinarySI', decimalExponent: 'DecimalExponent' } as const;

/**
 * A quantity as the reference system prints it where it does not print its text: with the parts that it keeps. Such parts
 * are the number of a canonical text and its power of ten; of a binary amount the number of units.
 */
export function shownQuantity(text: string): VerbatimValue {
  const quantity = quantityOf(text);
  const canonical = quantity?.toString() ?? '0';
  const { value, scale } = partsOf(canonical, quantity?.value() ?? 0n);
  const format = FORMAT[quantity?.format ?? 'decimalSI'];
  return new VerbatimValue(
    `resource.Quantity{i:resource.int64Amount{value:${value}, scale:${scale}}, ` +
      `d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"${canonical}", Format:"${format}"}`,
  );
}

function partsOf(canonical: string, units: bigint): { value: bigint; scale: number } {
  const [, number = '0', suffix = ''] = /^(-?\d+)(.*)$/.exec(canonical) ?? [];
  const exponent = SUFFIX_EXPONENT[suffix] ?? (/^e-?\d+$/.test(suffix) ? Number(suffix.slice(1)) : undefined);
  return exponent === undefined ? { value: units, scale: 0 } : { value: BigInt(number), scale: exponent };
}
