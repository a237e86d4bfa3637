import { MAX_SCORE } from '../../../framework/plugin.js';
import type { ShapePoint } from '../../../framework/plugin-args.js';
import { brokenLinear } from '../../resources/strategies.js';
import type { StaticBinding } from './pod-volumes.js';
import { requestedStorage, storageCapacity } from './volume-candidates.js';

const FULL = 100n;
const HIGHEST_SHAPE_SCORE = 10;

/** Returns a function that scores volumes by how much of them their claims would use: the mean over their classes. */
export function utilizationScorer(shape: readonly ShapePoint[]): (bindings: readonly StaticBinding[]) => number {
  const scoreAt = brokenLinear(
    shape.map(({ utilization, score }) => ({ utilization, score: score * (MAX_SCORE / HIGHEST_SHAPE_SCORE) })),
  );
  return (bindings) => {
    const classes = new Map<string, { requested: bigint; capacity: bigint }>();
    for (const { claim, volume } of bindings) {
      const className = volume.spec?.storageClassName ?? '';
      const sums = classes.get(className) ?? { requested: 0n, capacity: 0n };
      sums.requested += requestedStorage(claim).value();
      sums.capacity += storageCapacity(volume).value();
      classes.set(className, sums);
    }
    if (classes.size === 0) return 0;
    let sum = 0;
    for (const { requested, capacity } of classes.values()) {
      const isFull = capacity === 0n || requested > capacity;
      sum += scoreAt(Number(isFull ? FULL : (requested * FULL) / capacity));
    }
    return Math.round(sum / classes.size);
  };
}
