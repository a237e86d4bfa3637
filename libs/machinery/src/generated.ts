import { randomInt } from 'node:crypto';

/** Letters and digits that form no words and are not easily confused. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
/** Length of a DNS label that is left for the base. */
const BASE_MAX = 63 - SUFFIX_LENGTH;

/**
 * Generates a name from `generateName`: the base cut to 58 characters and five random ones.
 * @param below returns a uniform integer in [0, bound)
 */
export function generateName(base: string, below: (bound: number) => number = randomInt): string {
  let name = base.slice(0, BASE_MAX);
  for (let i = 0; i < SUFFIX_LENGTH; i++) name += ALPHABET[below(ALPHABET.length)];
  return name;
}
