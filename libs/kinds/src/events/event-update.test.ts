import { type ApiObject, namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { describe, expect, it } from 'vitest';
import { kindRules } from '../registry/registry.js';

const names = namesOf('kubernetes');
const scheme = loadScheme(names);

function refused(group: string, before: object, after: object): string[] {
  const definition = scheme.resource(group, 'v1', 'events');
  if (!definition) throw new Error('no events');
  const rules = kindRules(definition, names);
  return rules
    .validateServedUpdate({ ...EVENT, ...after }, { ...EVENT, ...before })
    .map(({ field, message }) => `${field}: ${message}`);
}

const EVENT: ApiObject = {
  metadata: { name: 'e', namespace: 'n' },
  involvedObject: { kind: 'Pod', namespace: 'n', name: 'p' },
  reason: 'Scheduled',
  message: 'it has a place',
  type: 'Normal',
  eventTime: '2026-01-02T03:04:05.600000Z',
  action: 'Binding',
  reportingComponent: 'example.com/s',
  reportingInstance: 's-1',
};
const POD =
  'core.ObjectReference{Kind:"Pod", Namespace:"n", Name:"q", UID:"", APIVersion:"", ResourceVersion:"", FieldPath:""}';

describe('an update through the events group', () => {
  it.each<[object, object, string[]]>([
    [{}, {}, []],
    [{}, { metadata: { name: 'e', namespace: 'n', labels: { a: 'b' } } }, []],
    [{}, { count: 0, source: {}, related: undefined, firstTimestamp: null }, []],
    [{}, { series: { count: 2, lastObservedTime: '2026-01-02T03:04:06.000000Z' } }, []],
    [
      {},
      { series: { count: 1 } },
      ['series.count: Invalid value: "": should be at least 2', 'series.lastObservedTime: Required value'],
    ],
    [{ series: { count: 1 } }, { series: { count: 1 } }, []],
    [
      {},
      { involvedObject: { kind: 'Pod', namespace: 'n', name: 'q' } },
      [`involvedObject: Invalid value: ${POD}: field is immutable`],
    ],
    [
      {},
      { related: { kind: 'Pod', namespace: 'n', name: 'q' } },
      [`related: Invalid value: ${POD}: field is immutable`],
    ],
    [{ related: { kind: 'Pod' } }, {}, ['related: Invalid value: "null": field is immutable']],
    [{}, { message: 'x' }, ['message: Invalid value: "x": field is immutable']],
    [{}, { reason: 'x' }, Array(2).fill('reason: Invalid value: "x": field is immutable')],
    [{}, { type: 'Warning' }, ['type: Invalid value: "Warning": field is immutable']],
    [{}, { action: 'x' }, ['action: Invalid value: "x": field is immutable']],
    [{}, { count: 3 }, ['count: Invalid value: 3: field is immutable']],
    [
      { source: { component: 'c' } },
      {},
      ['source: Invalid value: core.EventSource{Component:"", Host:""}: field is immutable'],
    ],
    [
      {},
      { firstTimestamp: '2026-01-02T03:04:05Z' },
      ['firstTimestamp: Invalid value: 2026-01-02 03:04:05 +0000 UTC: field is immutable'],
    ],
    [
      { lastTimestamp: '2026-01-02T03:04:05Z' },
      {},
      ['lastTimestamp: Invalid value: 0001-01-01 00:00:00 +0000 UTC: field is immutable'],
    ],
    [{}, { reportingComponent: 'x' }, ['reportingController: Invalid value: "x": field is immutable']],
    [{}, { reportingInstance: 'x' }, ['reportingInstance: Invalid value: "x": field is immutable']],
    [{}, { eventTime: '2026-01-02T03:04:05.6Z' }, []],
    [{}, { eventTime: '2026-01-02T03:04:05.600000999Z' }, []],
    [
      {},
      { eventTime: '2026-01-02T03:04:05.600001Z' },
      ['eventTime: Invalid value: 2026-01-02 03:04:05.600001 +0000 UTC: field is immutable'],
    ],
  ])('%j to %j', (before, after, expected) => {
    expect(refused('events.k8s.io', before, after)).toEqual(expected);
    expect(refused('', before, after)).toEqual([]);
  });
});
