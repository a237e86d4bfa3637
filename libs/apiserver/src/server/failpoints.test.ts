import { expect, test } from 'vitest';
import { failpoints } from './failpoints.js';

test('failpoints are off unless named, and a wrong name is refused', () => {
  expect(failpoints([]).size).toBe(0);
  expect([...failpoints(['no-heal', 'publish-before-commit'])]).toEqual(['no-heal', 'publish-before-commit']);
  expect(() => failpoints(['no-heel'])).toThrow('--failpoints: no-heel is none of no-heal, ');
});
