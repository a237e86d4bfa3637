import type { Event } from '@orch/schema/types/core/v1';
import type { Cell } from '../rules/kind-rules.js';
import { age, timeOf } from '../values/age.js';

/** The row of an event in its core form. */
export function eventRow(event: Event, now: number): Record<string, Cell> {
  const kind = (event.involvedObject?.kind ?? '').toLowerCase();
  const name = event.involvedObject?.name ?? '';
  return {
    ...occurrences(event, now),
    Type: event.type ?? '',
    Reason: event.reason ?? '',
    Object: name ? `${kind}/${name}` : kind,
    Subobject: event.involvedObject?.fieldPath ?? '',
    Source: source(event),
    Message: (event.message ?? '').trim(),
  };
}

/** When it was seen first and last, and how often. A series knows better than the event itself. */
function occurrences(event: Event, now: number) {
  const start = event.firstTimestamp;
  const first = age(timeOf(start) === undefined ? event.eventTime : start, now);
  const end = event.lastTimestamp;
  const last = timeOf(end) === undefined ? first : age(end, now);
  const series = event.series;
  if (!series) return { 'Last Seen': last, 'First Seen': first, Count: (event.count ?? 0) || 1 };
  return { 'Last Seen': age(series.lastObservedTime, now), 'First Seen': first, Count: series.count ?? 0 };
}

function source(event: Event): string {
  const component = event.source?.component || (event.reportingComponent ?? '');
  const host = event.source?.host || (event.reportingInstance ?? '');
  return host ? `${component}, ${host}` : component;
}
