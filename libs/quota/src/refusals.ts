import { parseQuantity } from '@orch/machinery';
import { shown } from './amounts.js';

/** An amount of a quota that a write would have exceeded, as the store reports it. */
export interface ExceededAmount {
  /** Name of the amount. */
  readonly amount: string;
  /** Decimal number; absent while it has not been counted. */
  readonly used?: string;
  /** Decimal number. */
  readonly limit: string;
}

/**
 * Message for a refused write, in the wording of the reference.
 * @param requested decimal numbers by names
 * @param concerned the amounts of the object that the quota limits
 * @param isBinary whether amounts of a name are formatted in units of 1024
 */
export function exceededText(
  quota: string,
  exceeded: readonly ExceededAmount[],
  requested: Readonly<Record<string, string>>,
  concerned: readonly string[],
  isBinary: (name: string) => boolean,
): string {
  if (exceeded.some(({ used }) => used === undefined))
    return `status unknown for quota: ${quota}, resources: ${[...concerned].sort().join()}`;
  const sorted = [...exceeded].sort((a, b) => (a.amount < b.amount ? -1 : 1));
  const listed = (amountOf: (each: ExceededAmount) => string | undefined) =>
    sorted.map((each) => `${each.amount}=${shownDecimal(amountOf(each) ?? '0', isBinary(each.amount))}`).join();
  const [wanted, used, limited] = [
    listed(({ amount }) => requested[amount]),
    listed((each) => each.used),
    listed((each) => each.limit),
  ];
  return `exceeded quota: ${quota}, requested: ${wanted}, used: ${used}, limited: ${limited}`;
}

/** Formats a decimal number for clients. */
export const shownDecimal = (decimal: string, binary: boolean): string => shown(parseQuantity(decimal).nanos, binary);
