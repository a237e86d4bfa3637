import { expect, it } from 'vitest';
import { weakMemo } from './weak-memo.js';

it('makes one value for each object', () => {
  let made = 0;
  const memo = weakMemo((key: { name: string }) => ({ number: ++made, of: key.name }));
  const [a, twin] = [{ name: 'a' }, { name: 'a' }];
  expect(memo(a)).toBe(memo(a));
  expect(memo(twin)).not.toBe(memo(a));
  expect(made).toBe(2);
});

it('remembers nothing of a failure', () => {
  let calls = 0;
  const memo = weakMemo((_key: object): object => {
    if (++calls === 1) throw new Error('first');
    return { calls };
  });
  const key = {};
  expect(() => memo(key)).toThrow('first');
  expect(memo(key)).toEqual({ calls: 2 });
});
