import { describe, expect, it } from 'vitest';
import { type Attempts, untilNotOvertaken } from './attempts.js';

/** Attempts that result in one after another. */
function attemptsOf<T>(most: number, ...results: (T | undefined)[]): Attempts<T | string> & { made: number } {
  return {
    most,
    made: 0,
    async attempt() {
      return results[this.made++];
    },
    overtaken: () => 'overtaken to the end',
  };
}

describe('attempts at a write', () => {
  it.each([
    ['the first succeeds', 3, ['a', 'b'], 'a', 1],
    ['one before was overtaken', 3, [undefined, 'b'], 'b', 2],
    ['the last succeeds', 3, [undefined, undefined, 'c'], 'c', 3],
    ['all were overtaken', 3, [undefined, undefined, undefined, 'd'], 'overtaken to the end', 3],
    ['none may be made', 0, ['a'], 'overtaken to the end', 0],
    ['a result is false', 3, [undefined, false], false, 2],
  ] as const)('end when %s', async (_, most, results, result, made) => {
    const attempts = attemptsOf<string | false>(most, ...results);
    expect([await untilNotOvertaken(attempts), attempts.made]).toEqual([result, made]);
  });

  it('end with an error', async () => {
    const failing = { ...attemptsOf(3), attempt: () => Promise.reject(new Error('refused')) };
    await expect(untilNotOvertaken(failing)).rejects.toThrow('refused');
    const late = (): never => {
      throw new Error('conflict');
    };
    await expect(untilNotOvertaken({ ...attemptsOf(2), overtaken: late })).rejects.toThrow('conflict');
  });
});
