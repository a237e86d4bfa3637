export { boundedTurns } from './bounded-turns.js';
export { FairTurns } from './fair-turns.js';
export { Fairness } from './fairness.js';
export { fairnessLimits, fairnessOptions } from './fairness-options.js';
export { flowMetrics } from './flow-metrics.js';
export { flowPages } from './flow-pages.js';
