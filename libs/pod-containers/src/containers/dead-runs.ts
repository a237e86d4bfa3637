import type { ObservedContainer, ObservedPod } from './observed-pod.js';

/**
 * Returns runs of containers that can be removed: each container keeps its newest run and so many ended ones before.
 * @param kept negative for all
 */
export function deadRuns({ containers }: ObservedPod, kept: number): ObservedContainer[] {
  if (kept < 0) return [];
  const seen = new Map<string, number>();
  return containers.filter(({ name, state }) => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before > kept && state === 'exited';
  });
}
