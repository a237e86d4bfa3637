import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus } from '@orch/schema/types/autoscaling/v2';
import { NONE, someOf, UNKNOWN } from '../values/text.js';

const MAX_SHOWN = 2;

/** The member that holds the source of a metric, by type. */
const SOURCE: Readonly<Record<string, Exclude<keyof MetricSpec, 'type'>>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

/** Returns measured and target values, metric by metric: `40%/80%, 12/10 (avg)`. */
export function targets({ spec, status }: HorizontalPodAutoscaler): string {
  const measured = status?.currentMetrics ?? [];
  const shown = (spec?.metrics ?? []).map((metric, index) => targetText(metric, measured[index]));
  return shown.length === 0 ? NONE : someOf(shown, MAX_SHOWN, ', ');
}

function targetText(metric: MetricSpec, measured: MetricStatus | undefined): string {
  const source = SOURCE[metric.type ?? ''];
  if (source === undefined) return '<unknown type>';
  const target = metric[source]?.target;
  const current = measured?.[source]?.current;
  const percent = target?.averageUtilization;
  if (percent !== undefined) {
    const now = current?.averageUtilization;
    return `${now === undefined ? UNKNOWN : `${now}%`}/${percent}%`;
  }
  const average = target?.averageValue ?? '';
  if (average === '') return `${current?.value || UNKNOWN}/${target?.value || '<auto>'}`;
  const suffix = source === 'external' || source === 'object' ? ' (avg)' : '';
  return `${current?.averageValue || UNKNOWN}/${average}${suffix}`;
}
