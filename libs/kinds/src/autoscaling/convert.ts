import type { ApiObject, Names } from '@orch/machinery';
import type { ConversionTools } from '../conversions/version-conversion.js';
import { equal } from '../values/equal.js';
import { isEmpty, isObject, type Json, numberAt, objectAt, objectsAt } from '../values/fields.js';
import { cpuMetric, cpuUtilization, type MetricSide, withCpuUtilization } from './cpu-metric.js';
import { keptMember, readKept, writtenKept } from './kept-values.js';

/** The annotations in which version 1 keeps what it has no field for. */
const KEPT = [
  { section: 'spec', field: 'metrics', annotation: 'metrics' },
  { section: 'spec', field: 'behavior', annotation: 'behavior' },
  { section: 'status', field: 'currentMetrics', annotation: 'current-metrics' },
  { section: 'status', field: 'conditions', annotation: 'conditions' },
] as const;

/** The two lists of metrics, and the field of version 1 that stands for their CPU entry. */
const METRICS: readonly { section: 'spec' | 'status'; list: string; side: MetricSide; field: string }[] = [
  { section: 'spec', list: 'metrics', side: 'target', field: 'targetCPUUtilizationPercentage' },
  { section: 'status', list: 'currentMetrics', side: 'current', field: 'currentCPUUtilizationPercentage' },
];

/** Returns the full key of an annotation; `metrics` holds the parts of `spec.metrics` that version 1 cannot express. */
export const keptKey = (names: Names, annotation: string): string =>
  names.key(`autoscaling.alpha.orch.io/${annotation}`);

/**
 * Converts version 2 to version 1: the CPU utilization becomes a field, the rest goes into annotations. Annotations of
 * these names in version 2 are removed: they would be read as fields that have never been validated.
 */
export function toV1(object: ApiObject, { schema: hub, names }: ConversionTools): ApiObject {
  const sections = { spec: { ...objectAt(object, 'spec') }, status: { ...objectAt(object, 'status') } };
  const annotations: Record<string, string> = { ...object.metadata?.annotations };
  const utilization = METRICS.map(({ section, list, side }) =>
    cpuUtilization(side, objectsAt(sections[section], list)),
  );
  for (const place of KEPT) {
    const { section, field, annotation } = place;
    const value = sections[section][field];
    delete sections[section][field];
    const key = keptKey(names, annotation);
    if (keptMember(hub, place, annotation, annotations[key])) delete annotations[key];
    if (!isEmpty(value) && !statedByField(section, field, value)) annotations[key] = writtenKept(annotation, value);
  }
  METRICS.forEach(({ section, field }, index) => {
    if (utilization[index] !== undefined) sections[section][field] = utilization[index];
  });
  return assemble(object, sections, annotations);
}

/**
 * Returns whether a field of version 1 expresses the value completely: a list of only the CPU metric in its plain form.
 */
function statedByField(section: string, field: string, value: unknown): boolean {
  const rule = METRICS.find((each) => each.section === section && each.list === field);
  if (!rule || !Array.isArray(value)) return false;
  const utilization = cpuUtilization(rule.side, value.filter(isObject));
  return utilization !== undefined && equal(value, [cpuMetric(rule.side, utilization)]);
}

/**
 * Converts version 1 to version 2, the inverse of {@link toV1}. Content of an annotation is used only if it fits the
 * schema.
 */
export function toV2(object: ApiObject, { schema: hub, names }: ConversionTools): ApiObject {
  const sections = { spec: { ...objectAt(object, 'spec') }, status: { ...objectAt(object, 'status') } };
  const annotations: Record<string, string> = { ...object.metadata?.annotations };
  for (const place of KEPT) {
    const key = keptKey(names, place.annotation);
    const member = keptMember(hub, place, place.annotation, annotations[key]);
    if (!member) continue;
    if (member.value !== undefined) sections[place.section][place.field] = member.value;
    delete annotations[key];
  }
  for (const { section, list, side, field } of METRICS) {
    const metrics = withCpuUtilization(side, objectsAt(sections[section], list), numberAt(sections[section], field));
    delete sections[section][field];
    if (metrics.length > 0) sections[section][list] = metrics;
    else delete sections[section][list];
  }
  return assemble(object, sections, annotations);
}

/**
 * Returns the part of version 2 that tables show, from an object of version 1: its metrics, whether they are in
 * annotations or in the CPU fields.
 */
export function withMetrics(object: ApiObject, names: Names): Json {
  const [spec, status] = METRICS.map(({ section, list, side, field }) => {
    const annotation = list === 'metrics' ? 'metrics' : 'current-metrics';
    const kept = readKept(annotation, object.metadata?.annotations?.[keptKey(names, annotation)]);
    return { [list]: withCpuUtilization(side, objectsAt({ kept }, 'kept'), numberAt(object, section, field)) };
  });
  return { spec, status };
}

function assemble(
  object: ApiObject,
  sections: { spec: Json; status: Json },
  annotations: Record<string, string>,
): ApiObject {
  const { annotations: _before, ...metadata } = object.metadata ?? {};
  return {
    ...object,
    metadata: isEmpty(annotations) ? metadata : { ...metadata, annotations },
    ...(object.spec !== undefined && { spec: sections.spec }),
    ...(object.status !== undefined && { status: sections.status }),
  };
}
