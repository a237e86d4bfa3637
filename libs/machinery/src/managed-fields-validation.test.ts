import { describe, expect, test } from 'vitest';
import { validateFieldManager } from './managed-fields-validation.js';

const details = (manager: string) => validateFieldManager(manager, 'fieldManager').map(({ message }) => message);

describe('names of field managers', () => {
  test('may be empty, up to 128 bytes long, and of any printable characters', () => {
    for (const manager of ['', 'kubectl-client-side-apply', 'a b~', 'größer', 'x'.repeat(128)])
      expect(details(manager)).toEqual([]);
  });

  test('are refused above 128 bytes, and with each character that is not printable', () => {
    expect(details('x'.repeat(129))).toEqual([expect.stringContaining('128')]);
    expect(details('é'.repeat(65))).toEqual([expect.stringContaining('128')]);
    expect(details('a\tb\u007f')).toEqual([
      expect.stringContaining('invalid character U+0009 (at position 1)'),
      expect.stringContaining('invalid character U+007F (at position 3)'),
    ]);
    expect(details('é\n')).toEqual([expect.stringContaining('invalid character U+000A (at position 2)')]);
  });
});
