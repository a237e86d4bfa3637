import { type FieldError, invalidValue, qualifiedNameErrors, required } from '@orch/machinery';
import type { Event } from '@orch/schema/types/core/v1';
import type { EventSeries, Event as ServedEvent } from '@orch/schema/types/events/v1';
import { invalidEach } from '../rules/checks.js';
import { isObject } from '../values/fields.js';

const TYPES = ['Normal', 'Warning'];
const MAX_SHORT = 128;
const MAX_NOTE = 1024;
/** Namespaces that events about cluster-wide objects may stand in. */
const CLUSTER_NAMESPACES = ['default', 'kube-system'];
/** Members that older events had, with their names in messages. */
const OLD_FIELDS: readonly (readonly [keyof ServedEvent, string])[] = [
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['deprecatedSource', 'source'],
];

/** Checks a new event in its core form. An event with an event time must have its reporter and action. */
export function validateEvent(event: Event): FieldError[] {
  const about = event.involvedObject?.namespace ?? '';
  const place = event.metadata?.namespace ?? '';
  const timed = isSet(event.eventTime);
  const fits = about === '' ? isOfCluster(place, timed) : timed || about === place;
  const errors = fits ? [] : [invalidValue('involvedObject.namespace', about, 'does not match event.namespace')];
  return timed ? [...errors, ...validateReport(event)] : errors;
}

const isOfCluster = (place: string, timed: boolean): boolean =>
  timed ? CLUSTER_NAMESPACES.includes(place) : place === '' || place === 'default';

function validateReport(event: Event): FieldError[] {
  const reporter = event.reportingComponent ?? '';
  return [
    ...(reporter === '' ? [required('reportingComponent')] : []),
    ...invalidEach('reportingComponent', reporter, qualifiedNameErrors(reporter)),
    ...(['reportingInstance', 'action', 'reason'] as const).flatMap((name) => validateShort(event[name] ?? '', name)),
    ...(Buffer.byteLength(event.message ?? '') > MAX_NOTE
      ? [invalidValue('message', '', `can have at most ${MAX_NOTE} characters`)]
      : []),
  ];
}

function validateShort(value: string, field: string): FieldError[] {
  if (value === '') return [required(field)];
  return Buffer.byteLength(value) > MAX_SHORT
    ? [invalidValue(field, '', `can have at most ${MAX_SHORT} characters`)]
    : [];
}

/**
 * Checks what the events group asks beside that: a time, a known type, and nothing in the fields that were replaced.
 */
export function validateNewForm(event: ServedEvent): FieldError[] {
  const type = event.type ?? '';
  const old = OLD_FIELDS.filter(([member]) => isSet(event[member]));
  return [
    ...validateSeries(event.series),
    ...(isSet(event.eventTime) ? [] : [required('eventTime')]),
    ...(TYPES.includes(type) ? [] : [invalidValue('type', '', `has invalid value: ${type}`)]),
    ...old.map(([, field]) => invalidValue(field, '', 'needs to be unset')),
  ];
}

/** Checks a series: what happens once is none. */
export function validateSeries(series: EventSeries | undefined): FieldError[] {
  if (!series) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalidValue('series.count', '', 'should be at least 2')] : []),
    ...(isSet(series.lastObservedTime) ? [] : [required('series.lastObservedTime')]),
  ];
}

/** Returns whether a member is set: not zero, not an empty text, and a source with any member. */
function isSet(value: unknown): boolean {
  if (isObject(value)) return Object.values(value).some((member) => typeof member === 'string' && member !== '');
  return value !== undefined && value !== null && value !== '' && value !== 0;
}
