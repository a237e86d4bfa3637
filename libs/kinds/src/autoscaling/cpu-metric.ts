import { isObject, type Json, numberAt, objectAt } from '../values/fields.js';

/** The metric that version 1 knows: average utilization of the CPU. */
const isCpu = (metric: Json): boolean => metric.type === 'Resource' && objectAt(metric, 'resource').name === 'cpu';

/** The member of a resource metric that holds the numbers: the target or the measured value. */
export type MetricSide = 'target' | 'current';

/** Returns the CPU metric of v2 for a utilization in percent. */
export const cpuMetric = (side: MetricSide, utilization: number): Json => ({
  type: 'Resource',
  resource: {
    name: 'cpu',
    [side]:
      side === 'target'
        ? { type: 'Utilization', averageUtilization: utilization }
        : { averageUtilization: utilization },
  },
});

/** The utilization of the first CPU metric that has one. */
export function cpuUtilization(side: MetricSide, metrics: readonly Json[]): number | undefined {
  for (const metric of metrics) {
    if (!isCpu(metric)) continue;
    const utilization = numberAt(metric, 'resource', side, 'averageUtilization');
    if (utilization !== undefined) return utilization;
  }
  return undefined;
}

/** The metrics with the CPU's utilization changed in its place, removed for undefined, or appended when it is new. */
export function withCpuUtilization(
  side: MetricSide,
  metrics: readonly Json[],
  utilization: number | undefined,
): Json[] {
  const index = metrics.findIndex((metric) => cpuUtilization(side, [metric]) !== undefined);
  if (index < 0) return utilization === undefined ? [...metrics] : [...metrics, cpuMetric(side, utilization)];
  if (utilization === undefined) return metrics.filter((_, other) => other !== index);
  return metrics.map((metric, other) => (other === index ? setUtilization(side, metric, utilization) : metric));
}

function setUtilization(side: MetricSide, metric: Json, averageUtilization: number): Json {
  const resource = objectAt(metric, 'resource');
  const numbers = isObject(resource[side]) ? resource[side] : {};
  return { ...metric, resource: { ...resource, [side]: { ...numbers, averageUtilization } } };
}
