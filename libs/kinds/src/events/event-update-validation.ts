import { type ApiObject, type FieldError, invalidValue, VerbatimValue } from '@orch/machinery';
import { equal } from '../values/equal.js';
import { at, isObject, textAt } from '../values/fields.js';
import { shownStruct } from '../values/go-values.js';
import { validateSeries } from './event-validation.js';

/** A member that stays, in the order of the refusals, and how its new value is shown. */
type Kept = readonly [member: string, field: string, shown: (value: unknown) => unknown];

const asItIs = (value: unknown): unknown => value ?? '';

const KEPT: readonly Kept[] = [
  ['involvedObject', 'involvedObject', shownReference],
  ['reason', 'reason', asItIs],
  ['message', 'message', asItIs],
  ['source', 'source', shownSource],
  ['firstTimestamp', 'firstTimestamp', shownTime],
  ['lastTimestamp', 'lastTimestamp', shownTime],
  ['count', 'count', (value) => value ?? 0],
  ['reason', 'reason', asItIs],
  ['type', 'type', asItIs],
  ['eventTime', 'eventTime', shownTime],
  ['action', 'action', asItIs],
  ['related', 'related', (value) => (isObject(value) ? shownReference(value) : 'null')],
  ['reportingComponent', 'reportingController', asItIs],
  ['reportingInstance', 'reportingInstance', asItIs],
];

/** What an update through the events group asks of an event in its core form: only a series goes on. */
export const validateEventUpdate = (event: ApiObject, old: ApiObject): FieldError[] => [
  ...(equal(event.series, old.series) ? [] : validateSeries(event.series)),
  ...KEPT.flatMap(([member, field, shown]) =>
    isSame(shown(event[member]), shown(old[member]))
      ? []
      : [invalidValue(field, shown(event[member]), 'field is immutable')],
  ),
];

/** What shows alike is alike: members that are left out are zeros. */
const isSame = (value: unknown, old: unknown): boolean =>
  value instanceof VerbatimValue && old instanceof VerbatimValue ? value.text === old.text : value === old;

/** Clients say the same time with more or fewer digits; what is below a microsecond does not count. */
function shownTime(value: unknown): VerbatimValue {
  if (typeof value !== 'string') return new VerbatimValue('0001-01-01 00:00:00 +0000 UTC');
  const [whole = '', fraction = ''] = value.replace(/Z$/, '').replace('T', ' ').split('.');
  const digits = fraction.slice(0, 6).replace(/0+$/, '');
  return new VerbatimValue(`${whole}${digits && `.${digits}`} +0000 UTC`);
}

function shownReference(value: unknown): VerbatimValue {
  const members = {
    Kind: 'kind',
    Namespace: 'namespace',
    Name: 'name',
    UID: 'uid',
    APIVersion: 'apiVersion',
    ResourceVersion: 'resourceVersion',
    FieldPath: 'fieldPath',
  };
  const shown = Object.entries(members).map(([name, member]) => [name, textAt(value, member)] as const);
  return shownStruct('core.ObjectReference', Object.fromEntries(shown));
}

function shownSource(value: unknown): VerbatimValue {
  const [Component, Host] = ['component', 'host'].map((name) => String(at(value, name) ?? ''));
  return shownStruct('core.EventSource', { Component: Component ?? '', Host: Host ?? '' });
}
