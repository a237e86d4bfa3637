import { expect, it } from 'vitest';
import { commonAudiences } from './token-verifier.js';

it('audiences in common stand in the order in which they are wanted', () => {
  expect(commonAudiences(['c', 'a', 'b'], ['b', 'c', 'd'])).toEqual(['c', 'b']);
});

it('audiences cost what they are many, not the product of both', () => {
  const many = (prefix: string, length: number) => Array.from({ length }, (_, at) => `${prefix}${at}`);
  const [wanted, given] = [many('a', 50_000), many('b', 20_000)];
  const begun = performance.now();
  expect(commonAudiences(wanted, given)).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(700);
});
