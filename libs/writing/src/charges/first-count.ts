import { type Clock, systemClock } from '@orch/runtime';
import type { QuotaIndex } from './quota-index.js';

/**
 * Longest wait of a write for the first count of a quota, milliseconds. The count takes a moment where its controller
 * runs.
 */
export const PATIENCE_MS = 2_000;

/**
 * Whether quotas of a namespace have been counted, or will be within {@link PATIENCE_MS}: a write right after the
 * creation of a quota waits for that instead of being refused.
 */
export function firstCount(
  index: Pick<QuotaIndex, 'in' | 'onChange'>,
  namespace: string,
  names: ReadonlySet<string>,
  clock: Clock = systemClock,
): Promise<boolean> {
  const isCounted = () => !index.in(namespace).some(({ terms, uncounted }) => uncounted && names.has(terms.name));
  if (isCounted()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const end = (counted: boolean): void => {
      cancel();
      forget();
      resolve(counted);
    };
    const cancel = clock.after(PATIENCE_MS, () => end(isCounted()));
    const forget = index.onChange(() => {
      if (isCounted()) end(true);
    });
  });
}
