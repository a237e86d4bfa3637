import { releaseMetrics } from '@orch/apiserver';
import type { MetricDescription } from '@orch/runtime';
import { schedulerReleaseMetrics } from '@orch/scheduler';
import { code, table } from './table.js';

/** Every metric of the servers by its name. */
export const metricTable = async (): Promise<string> => tableOf(await releaseMetrics());

/** Every metric of `orch scheduler` by its name. */
export const schedulerMetricTable = (): string => tableOf(schedulerReleaseMetrics());

function tableOf(metrics: readonly MetricDescription[]): string {
  const rows = metrics.map(({ name, type, stability = '', labels, help, deprecated, hidden }) => {
    const state = deprecated === undefined ? '' : ` (deprecated since ${deprecated}${hidden ? ', hidden' : ''})`;
    return [code(name), type, stability, labels.map(code).join(', '), `${help}${state}`];
  });
  return table(['metric', 'type', 'stability', 'labels', 'meaning'], rows);
}
