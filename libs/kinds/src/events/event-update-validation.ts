import { type FieldError, invalidValue, VerbatimValue } from '@orch/machinery';
import type { Event, EventSource, ObjectReference } from '@orch/schema/types/core/v1';
import { equal } from '../values/equal.js';
import { shownStruct } from '../values/go-values.js';
import { validateSeries } from './event-validation.js';

/** A member that stays, in the order of the refusals, and how its new value is shown. */
type Kept = readonly [field: string, shown: (event: Event) => unknown];

const asItIs =
  (member: keyof Event) =>
  (event: Event): unknown =>
    event[member] ?? '';

const KEPT: readonly Kept[] = [
  ['involvedObject', ({ involvedObject }) => shownReference(involvedObject)],
  ['reason', asItIs('reason')],
  ['message', asItIs('message')],
  ['source', shownSource],
  ['firstTimestamp', ({ firstTimestamp }) => shownTime(firstTimestamp)],
  ['lastTimestamp', ({ lastTimestamp }) => shownTime(lastTimestamp)],
  ['count', ({ count }) => count ?? 0],
  ['reason', asItIs('reason')],
  ['type', asItIs('type')],
  ['eventTime', ({ eventTime }) => shownTime(eventTime)],
  ['action', asItIs('action')],
  ['related', ({ related }) => (related ? shownReference(related) : 'null')],
  ['reportingController', asItIs('reportingComponent')],
  ['reportingInstance', asItIs('reportingInstance')],
];

/** Checks an update through the events group of an event in its core form: only its series may change. */
export const validateEventUpdate = (event: Event, old: Event): FieldError[] => [
  ...(equal(event.series, old.series) ? [] : validateSeries(event.series)),
  ...KEPT.flatMap(([field, shown]) =>
    isSame(shown(event), shown(old)) ? [] : [invalidValue(field, shown(event), 'field is immutable')],
  ),
];

/** Whether two values show alike: members that are left out are zeros. */
const isSame = (value: unknown, old: unknown): boolean =>
  value instanceof VerbatimValue && old instanceof VerbatimValue ? value.text === old.text : value === old;

/**
 * Returns a time as in messages, to the microsecond: clients send the same time with more or fewer digits, and smaller
 * fractions do not count.
 */
function shownTime(value: string | undefined): VerbatimValue {
  if (value === undefined || value === null) return new VerbatimValue('0001-01-01 00:00:00 +0000 UTC');
  const [whole = '', fraction = ''] = value.replace(/Z$/, '').replace('T', ' ').split('.');
  const digits = fraction.slice(0, 6).replace(/0+$/, '');
  return new VerbatimValue(`${whole}${digits && `.${digits}`} +0000 UTC`);
}

const shownReference = (value: ObjectReference | undefined): VerbatimValue =>
  shownStruct('core.ObjectReference', {
    Kind: value?.kind ?? '',
    Namespace: value?.namespace ?? '',
    Name: value?.name ?? '',
    UID: value?.uid ?? '',
    APIVersion: value?.apiVersion ?? '',
    ResourceVersion: value?.resourceVersion ?? '',
    FieldPath: value?.fieldPath ?? '',
  });

function shownSource({ source }: Event): VerbatimValue {
  const { component = '', host = '' }: EventSource = source ?? {};
  return shownStruct('core.EventSource', { Component: component, Host: host });
}
