import { type MetricDescription, Metrics } from '@orch/runtime';
import { podResourceMetrics } from './pod-resource-metrics.js';
import { schedulerMetrics } from './scheduler-metrics.js';

/** Describes every metric of a scheduler, ordered by name: those of `/metrics`, then those of `/metrics/resources`. */
export function schedulerReleaseMetrics(): readonly MetricDescription[] {
  const [own, resources] = [new Metrics(), new Metrics()];
  schedulerMetrics(own, () => undefined);
  podResourceMetrics(resources, () => []);
  return [...own.describe(), ...resources.describe()];
}
