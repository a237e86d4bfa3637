import type { Calibration, Costs, MeasuredPoint } from './costs.js';
import { type GatewayResult, simulateGateway } from './gateway-model.js';

const SIMULATED_SECONDS = 4;
/** Watchers that one process of the measuring client reads for. */
const WATCHERS_PER_CLIENT = 2_500;

/** Predicts a measured point, with its client beside the gateway. */
export function predict(
  costs: Costs,
  { watchers, rate, stretch }: Pick<MeasuredPoint, 'watchers' | 'rate' | 'stretch'>,
): GatewayResult {
  const clients = { processes: Math.ceil(watchers / WATCHERS_PER_CLIENT) };
  const load = { watchers, audiences: 1, changes: rate, concerned: rate, arrivals: 'even' as const };
  return simulateGateway(costs, { ...load, clients, stretch, seconds: SIMULATED_SECONDS });
}

export interface Comparison {
  readonly point: MeasuredPoint;
  readonly predicted: GatewayResult;
}

/** The points that the costs were not fitted to, beside what the model says of them. */
export function comparisons({ costs, checked }: Calibration): Comparison[] {
  return checked.map((point) => ({ point, predicted: predict(costs, point) }));
}
