import { describe, expect, it } from 'vitest';
import { validateContentKeys } from './content-keys.js';

const refused = (key: string) => validateContentKeys({ data: { [key]: '' } }, ['data']).length > 0;

describe('validateContentKeys', () => {
  it('takes what can be the name of a file', () => {
    for (const key of ['a', 'A_b-c.d', '.hidden', 'x'.repeat(253)]) expect(refused(key), key).toBe(false);
  });

  it('refuses ways out of a folder and what is no name', () => {
    for (const key of ['', '.', '..', '..a', '../x', 'a/b', 'ü', 'a b', 'x'.repeat(254)])
      expect(refused(key), key).toBe(true);
  });

  it('leaves what is stored already', () => {
    const old = { data: { 'a/b': '1' } };
    const object = { data: { 'a/b': '2', 'c/d': '' } };
    expect(validateContentKeys(object, ['data'], old)).toMatchObject([{ field: 'data[c/d]' }]);
  });

  it('looks at each member and names the field', () => {
    const object = { data: { ok: '' }, binaryData: { 'not/ok': '' } };
    expect(validateContentKeys(object, ['data', 'binaryData'])).toMatchObject([{ field: 'binaryData[not/ok]' }]);
  });
});
