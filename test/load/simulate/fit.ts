import type { Costs, MeasuredPoint } from './costs.js';
import { simulateGateway } from './gateway-model.js';

const SIMULATED_SECONDS = 2;
/** Costs that are tried: so many of each kind, in equal ratios, and once more around the best. */
const TRIED = 14;
const ROUNDS = 3;

/**
 * The costs of a write to a socket and of an event in it that explain best what was measured. How many events a write
 * carried is not seen from outside, and depends on the costs themselves; so costs are tried in the model.
 */
export function fitFanOut(known: Costs, points: readonly MeasuredPoint[]): Costs {
  const most = Math.max(...points.map(({ perEvent }) => perEvent));
  let write: Span = { from: most / 5, to: most * 1.5 };
  let event: Span = { from: most / 1000, to: most };
  let best: Trial = { error: Number.POSITIVE_INFINITY, write: most, event: 0, gathered: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const writeCost of steps(write)) {
      for (const eventCost of steps(event)) {
        const trial = tried(known, points, writeCost, eventCost);
        if (trial.error < best.error) best = trial;
      }
    }
    write = around(best.write, write);
    event = around(best.event, event);
  }
  const client = fitLine(
    points.map(({ clientPerEvent }, index) => ({ share: 1 / (best.gathered[index] ?? 1), cost: clientPerEvent })),
  );
  return { ...known, write: best.write, event: best.event, client: { read: client.slope, event: client.level } };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Trial {
  /** Sum of the squared logarithms of predicted : measured. */
  readonly error: number;
  readonly write: number;
  readonly event: number;
  /** Events of a write, for each point. */
  readonly gathered: readonly number[];
}

function tried(known: Costs, points: readonly MeasuredPoint[], write: number, event: number): Trial {
  const results = points.map(({ watchers, rate, stretch }) => {
    const load = { watchers, audiences: 1, changes: rate, concerned: rate, arrivals: 'even' as const };
    return simulateGateway({ ...known, write, event }, { ...load, stretch, seconds: SIMULATED_SECONDS });
  });
  const error = results.reduce((sum, { perEvent }, index) => {
    return sum + Math.log(perEvent / (points[index]?.perEvent ?? perEvent)) ** 2;
  }, 0);
  return { error, write, event, gathered: results.map(({ gathered }) => gathered) };
}

function steps({ from, to }: Span): number[] {
  return Array.from({ length: TRIED }, (_, index) => from * (to / from) ** (index / (TRIED - 1)));
}

function around(best: number, { from, to }: Span): Span {
  const step = (to / from) ** (1 / (TRIED - 1));
  return { from: best / step, to: best * step };
}

/** cost = level + slope · share, by least squares of relative errors; neither is below nothing. */
export function fitLine(points: readonly { readonly share: number; readonly cost: number }[]): {
  readonly slope: number;
  readonly level: number;
} {
  const sum = (value: (point: (typeof points)[number], weight: number) => number) =>
    points.reduce((total, point) => total + value(point, point.cost > 0 ? 1 / point.cost ** 2 : 0), 0);
  const all = sum((_, weight) => weight);
  if (all === 0) return { slope: 0, level: 0 };
  const x = sum(({ share }, weight) => weight * share);
  const xx = sum(({ share }, weight) => weight * share * share);
  const y = sum(({ cost }, weight) => weight * cost);
  const xy = sum(({ share, cost }, weight) => weight * share * cost);
  const determinant = all * xx - x * x;
  const slope = determinant > 1e-9 * all * xx ? (all * xy - x * y) / determinant : 0;
  const level = (y - slope * x) / all;
  if (level < 0) return { slope: xy / xx, level: 0 };
  if (slope < 0) return { slope: 0, level: y / all };
  return { slope, level };
}
