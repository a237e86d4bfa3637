import { isObject, type Json, numberAt, objectAt, objectsAt, textAt } from '../values/fields.js';
import { NONE, someOf, UNKNOWN } from '../values/text.js';

const MAX_SHOWN = 2;

/** Where a metric of each type keeps its source. */
const SOURCE: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

/** What is measured and what is aimed at, metric by metric: `40%/80%, 12/10 (avg)`. */
export function targets(autoscaler: unknown): string {
  const measured = objectsAt(autoscaler, 'status', 'currentMetrics');
  const shown = objectsAt(autoscaler, 'spec', 'metrics').map((metric, index) => targetText(metric, measured[index]));
  return shown.length === 0 ? NONE : someOf(shown, MAX_SHOWN, ', ');
}

function targetText(metric: Json, measured: Json | undefined): string {
  const source = SOURCE[textAt(metric, 'type')];
  if (source === undefined) return '<unknown type>';
  const target = objectAt(metric, source, 'target');
  const current = isObject(measured?.[source]) ? objectAt(measured, source, 'current') : {};
  const percent = numberAt(target, 'averageUtilization');
  if (percent !== undefined) {
    const now = numberAt(current, 'averageUtilization');
    return `${now === undefined ? UNKNOWN : `${now}%`}/${percent}%`;
  }
  const average = textAt(target, 'averageValue');
  if (average === '') return `${textAt(current, 'value') || UNKNOWN}/${textAt(target, 'value') || '<auto>'}`;
  const suffix = source === 'external' || source === 'object' ? ' (avg)' : '';
  return `${textAt(current, 'averageValue') || UNKNOWN}/${average}${suffix}`;
}
