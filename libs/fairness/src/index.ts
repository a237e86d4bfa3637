export { boundedTurns } from './bounded-turns.js';
export { FairTurns } from './fair-turns.js';
export { Fairness, type FairnessLimits } from './fairness.js';
export { flowMetrics } from './flow-metrics.js';
export { flowPages } from './flow-pages.js';
