import type { Metrics } from '@orch/runtime';
import { conversionMetrics } from './conversion/conversion-metrics.js';
import { refusedObjects } from './conversion/refused-objects.js';
import { observeListCache } from './representation/piece-cache-metrics.js';

/** Declares every metric of this package, for their reference. */
export function resourceMetrics(metrics: Metrics): void {
  conversionMetrics(metrics);
  refusedObjects(metrics, () => undefined);
  observeListCache(metrics, { stats: () => ({ bytes: 0, hits: 0, misses: 0 }) });
}
