import type { Cell } from '../rules/kind-rules.js';
import { age, timeOf } from '../values/age.js';
import { at, countAt, isObject, textAt } from '../values/fields.js';

/** The row of an event in its core form. */
export function eventRow(event: unknown, now: number): Record<string, Cell> {
  const kind = textAt(event, 'involvedObject', 'kind').toLowerCase();
  const name = textAt(event, 'involvedObject', 'name');
  return {
    ...occurrences(event, now),
    Type: textAt(event, 'type'),
    Reason: textAt(event, 'reason'),
    Object: name ? `${kind}/${name}` : kind,
    Subobject: textAt(event, 'involvedObject', 'fieldPath'),
    Source: source(event),
    Message: textAt(event, 'message').trim(),
  };
}

/** When it was seen first and last, and how often. A series knows better than the event itself. */
function occurrences(event: unknown, now: number) {
  const start = at(event, 'firstTimestamp');
  const first = age(timeOf(start) === undefined ? at(event, 'eventTime') : start, now);
  const end = at(event, 'lastTimestamp');
  const last = timeOf(end) === undefined ? first : age(end, now);
  const series = at(event, 'series');
  if (!isObject(series)) return { 'Last Seen': last, 'First Seen': first, Count: countAt(event, 'count') || 1 };
  return { 'Last Seen': age(series.lastObservedTime, now), 'First Seen': first, Count: countAt(series, 'count') };
}

function source(event: unknown): string {
  const component = textAt(event, 'source', 'component') || textAt(event, 'reportingComponent');
  const host = textAt(event, 'source', 'host') || textAt(event, 'reportingInstance');
  return host ? `${component}, ${host}` : component;
}
