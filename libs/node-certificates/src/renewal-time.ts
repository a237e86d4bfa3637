import type { Validity } from './pair.js';

const FIRST_PART = 0.7;
const JITTER = 0.2;
const LEAST_PART = 0.1;

/** Returns when a certificate is renewed: after 70 to 90 % of its life, as in the reference. @param random 0 to 1 */
export const renewalTime = ({ from, to }: Validity, random: () => number): number =>
  from + (to - from) * (FIRST_PART + JITTER * random());

/**
 * Returns when a certificate that has just come is renewed: not before a tenth of what is left of it, or of its life if by
 * this clock nothing is left; or else a clock that is wrong, or a signer with very short lives, would cause one request
 * after the other.
 */
export function firstRenewalTime(validity: Validity, now: number, random: () => number): number {
  const left = validity.to - now;
  const span = left > 0 ? left : validity.to - validity.from;
  return Math.max(renewalTime(validity, random), now + span * LEAST_PART);
}
