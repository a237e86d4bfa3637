import { type Measure, StoreUnavailableError } from '@orch/storage';
import { describe, expect, it } from 'vitest';
import { MemoryFit } from './memory-fit.js';

const fitOf = (measure: () => Promise<Measure>) => new MemoryFit({ measure }, 1_000).fits(1);

describe('a type', () => {
  it('fits when it has few objects and few bytes', async () => {
    expect(await fitOf(async () => ({ objects: 3, bytes: 1_000 }))).toBe(true);
    expect(await fitOf(async () => ({ objects: 3, bytes: 1_001 }))).toBe(false);
    expect(await fitOf(async () => ({ objects: 200_001, bytes: 1_000 }))).toBe(false);
  });

  it('does not fit when it cannot be measured in time', async () => {
    expect(await fitOf(() => Promise.reject(new StoreUnavailableError('canceled', false)))).toBe(false);
  });

  it('is measured again after what is no matter of the store', async () => {
    let asked = 0;
    const measure = async () => {
      if (asked++ === 0) throw new RangeError('of ours');
      return { objects: 1, bytes: 1 };
    };
    const fit = new MemoryFit({ measure }, 1_000);
    await expect(fit.fits(1)).rejects.toThrow('of ours');
    expect(await fit.fits(1)).toBe(true);
    expect(await fit.fits(1)).toBe(true);
    expect(asked).toBe(2);
  });
});
