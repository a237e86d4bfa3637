import { MAX_SCORE } from '../../framework/plugin.js';
import type { ScoringStrategy, ShapePoint } from '../../framework/plugin-args.js';

/** Returns the score of a node from what would be requested and what there is, resource by resource. */
export type Scorer = (requested: readonly number[], allocatable: readonly number[]) => number;

/** The highest score in a shape. */
const MAX_SHAPE_SCORE = 10;

/** Returns the scorer of a strategy. */
export function scorerOf({ type, resources, shape }: ScoringStrategy): Scorer {
  const weights = resources.map(({ weight }) => weight);
  switch (type) {
    case 'LeastAllocated':
      return weightedMean(weights, leastRequested);
    case 'MostAllocated':
      return weightedMean(weights, mostRequested);
    default:
      return ratioScorer(weights, shape);
  }
}

function weightedMean(weights: readonly number[], score: (requested: number, allocatable: number) => number): Scorer {
  return (requested, allocatable) => {
    let sum = 0;
    let weightSum = 0;
    for (let at = 0; at < weights.length; at++) {
      const weight = weights[at] as number;
      const capacity = allocatable[at] as number;
      if (capacity === 0) continue;
      sum += weight * score(requested[at] as number, capacity);
      weightSum += weight;
    }
    return weightSum === 0 ? 0 : Math.floor(sum / weightSum);
  };
}

function leastRequested(requested: number, capacity: number): number {
  return requested > capacity ? 0 : Math.floor(((capacity - requested) * MAX_SCORE) / capacity);
}

function mostRequested(requested: number, capacity: number): number {
  return Math.floor((Math.min(requested, capacity) * MAX_SCORE) / capacity);
}

/** Scores by utilization; resources that score 0 count for nothing, also not for the mean. */
function ratioScorer(weights: readonly number[], shape: readonly ShapePoint[]): Scorer {
  const scoreAt = brokenLinear(
    shape.map(({ utilization, score }) => ({ utilization, score: score * (MAX_SCORE / MAX_SHAPE_SCORE) })),
  );
  return (requested, allocatable) => {
    let [sum, weightSum] = [0, 0];
    for (const [at, weight] of weights.entries()) {
      const [used, capacity] = [requested[at] as number, allocatable[at] as number];
      if (capacity === 0) continue;
      const score = scoreAt(used > capacity ? 100 : Math.floor((used * 100) / capacity));
      if (score <= 0) continue;
      sum += score * weight;
      weightSum += weight;
    }
    return weightSum === 0 ? 0 : Math.round(sum / weightSum);
  };
}

/** Returns a function that is linear between points, and constant beyond the first and the last. */
export function brokenLinear(points: readonly ShapePoint[]): (utilization: number) => number {
  return (utilization) => {
    const at = points.findIndex((point) => utilization <= point.utilization);
    if (at < 0) return points.at(-1)?.score ?? 0;
    const [before, point] = [points[at - 1], points[at] as ShapePoint];
    if (!before) return point.score;
    const rise = (point.score - before.score) * (utilization - before.utilization);
    return before.score + Math.trunc(rise / (point.utilization - before.utilization));
  };
}

/** Scores nodes higher whose resources are used up evenly: 1 − the standard deviation of their fractions. */
export const balancedScorer: Scorer = (requested, allocatable) => {
  const fractions: number[] = [];
  for (let at = 0; at < allocatable.length; at++) {
    const capacity = allocatable[at] as number;
    if (capacity !== 0) fractions.push(Math.min(1, (requested[at] as number) / capacity));
  }
  return Math.floor((1 - deviation(fractions)) * MAX_SCORE);
};

function deviation(fractions: readonly number[]): number {
  const [first = 0, second = 0] = fractions;
  if (fractions.length < 2) return 0;
  if (fractions.length === 2) return Math.abs((first - second) / 2);
  const mean = fractions.reduce((sum, fraction) => sum + fraction, 0) / fractions.length;
  const squares = fractions.reduce((sum, fraction) => sum + (fraction - mean) * (fraction - mean), 0);
  return Math.sqrt(squares / fractions.length);
}
