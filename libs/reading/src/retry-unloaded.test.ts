import { CacheUnloadedError } from '@orch/watchcache';
import { describe, expect, it } from 'vitest';
import { retryUnloaded } from './retry-unloaded.js';

/** Finds the state unloaded so often before it succeeds. */
function unloaded(times: number) {
  let tries = 0;
  const attempt = async () => {
    if (tries++ < times) throw new CacheUnloadedError('gone');
    return 'read';
  };
  return { attempt, tries: () => tries };
}

describe('retryUnloaded', () => {
  it('tries again', async () => {
    expect(await retryUnloaded(unloaded(9).attempt)).toBe('read');
  });

  it('does not go on for ever', async () => {
    const { attempt, tries } = unloaded(Number.POSITIVE_INFINITY);
    await expect(retryUnloaded(attempt)).rejects.toThrow(CacheUnloadedError);
    expect(tries()).toBe(10);
  });

  it('tries nothing again for another reason', async () => {
    let tries = 0;
    const failing = async () => {
      tries++;
      throw new RangeError('other');
    };
    await expect(retryUnloaded(failing)).rejects.toThrow(RangeError);
    expect(tries).toBe(1);
  });
});
