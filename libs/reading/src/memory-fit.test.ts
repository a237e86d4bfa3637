import { type Measure, StoreUnavailableError } from '@orch/storage';
import { describe, expect, it, vi } from 'vitest';
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

  it.each([
    ['too large, in proportion to what it took to find that', 2_000, false, 130_000],
    ['small, as before', 1, true, 30_000],
  ])('is measured again when it was %s', async (_what, bytes, fits, keptMs) => {
    const [now, measured] = [vi.spyOn(performance, 'now'), vi.fn()];
    const at = (ms: number) => void now.mockReturnValue(ms);
    at(0);
    measured.mockImplementation(async () => {
      at(1_300);
      return { objects: 1, bytes };
    });
    const fit = new MemoryFit({ measure: measured }, 1_000);
    expect(await fit.fits(1)).toBe(fits);
    at(1_300 + keptMs - 1);
    expect(await fit.fits(1)).toBe(fits);
    expect(measured).toHaveBeenCalledTimes(1);
    at(1_300 + keptMs);
    await fit.fits(1);
    expect(measured).toHaveBeenCalledTimes(2);
    now.mockRestore();
  });

  it('that was too large keeps nobody waiting while it is measured again', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    let answer: (measure: Measure) => void = () => undefined;
    const again = new Promise<Measure>((resolve) => {
      answer = resolve;
    });
    const measure = vi.fn<() => Promise<Measure>>();
    measure.mockResolvedValueOnce({ objects: 3, bytes: 2_000 }).mockReturnValueOnce(again);
    const fit = new MemoryFit({ measure }, 1_000);
    expect(await fit.fits(1)).toBe(false);
    vi.advanceTimersByTime(60_000);
    expect(await Promise.all([fit.fits(1), fit.fits(1)])).toEqual([false, false]);
    expect(measure).toHaveBeenCalledTimes(2);
    answer({ objects: 3, bytes: 1_000 });
    await expect.poll(() => fit.fits(1)).toBe(true);
    vi.useRealTimers();
  });
});
