import { describe, expect, it } from 'vitest';
import { Floors } from '../model/floors.js';
import { checkInformer, type InformerReport } from './informer-store.js';
import { checkLeaks, type Usage } from './leaks.js';
import { checkLifecycle, type StoredChange, type StoredObject } from './lifecycle.js';

describe('V5', () => {
  const stored = {
    objects: { configmaps: [{ version: 7, print: 'n/a uid s f t r' }], events: [] },
    floors: { configmaps: new Floors(), events: new Floors() },
  };
  const rules = (report: Partial<InformerReport>, floor = 0) =>
    checkInformer(
      { name: 'i', synced: true, gone: 0, held: new Map([['n/a', '7']]), ...report },
      { ...stored, floors: { configmaps: Floors.of(0, { at: 0, floor }), events: new Floors() } },
    ).map(({ rule }) => rule);

  it('accepts a store that equals the database', () => {
    expect(rules({})).toEqual([]);
  });

  it('notices what is missing, too much, or old, and a store that never was whole', () => {
    expect(rules({ held: new Map() })).toEqual(['V5.store']);
    expect(rules({ held: new Map([['n/a', '6']]) })).toEqual(['V5.store']);
    const more = new Map([
      ['n/a', '7'],
      ['n/b', '8'],
    ]);
    expect(rules({ held: more })).toEqual(['V5.store']);
    expect(rules({ synced: false })).toEqual(['V5.store']);
  });

  it('410 is right only where history was dropped', () => {
    expect(rules({ gone: 1 })).toEqual(['V5.gone']);
    expect(rules({ gone: 1 }, 5)).toEqual([]);
  });
});

describe('V7', () => {
  const object = (metadata: StoredObject['metadata'] = {}, replicas = 1): StoredObject => ({
    metadata: { namespace: 'n', name: 'a', uid: 'u', generation: 1, creationTimestamp: 't', ...metadata },
    spec: { replicas },
  });
  const created: StoredChange = {
    resource: 'replicasets',
    version: 1,
    op: 'create',
    uid: 'u',
    body: object(),
    prior: undefined,
  };
  const updated = (body: StoredObject, prior = object()): StoredChange => ({
    ...created,
    version: 2,
    op: 'update',
    body,
    prior,
  });
  const rules = (...changes: StoredChange[]) => checkLifecycle(changes).map(({ rule }) => rule);

  it('accepts a life: created, its spec changed, its status changed, deletion wished', () => {
    const second = object({ generation: 2 }, 2);
    const touched = { ...second, status: 1 } as StoredObject;
    const ending = object({ generation: 3, deletionTimestamp: 'd' }, 2);
    expect(rules(created, updated(second), updated(touched, second), updated(ending, second))).toEqual([]);
  });

  it('notices generations that count wrongly', () => {
    expect(rules({ ...created, body: object({ generation: 2 }) })).toEqual(['V7.generation']);
    expect(rules(updated(object({}, 2)))).toEqual(['V7.generation']);
    expect(rules(updated({ ...object({ generation: 2 }), status: 1 } as StoredObject))).toEqual(['V7.generation']);
    expect(rules(updated(object({ deletionTimestamp: 'd' })))).toEqual(['V7.generation']);
    expect(rules({ ...created, resource: 'configmaps' })).toEqual(['V7.generation']);
  });

  it('notices changes that change nothing', () => {
    expect(rules(updated(object()))).toEqual(['V7.idle']);
    expect(rules(updated({ ...object(), owners: 'other' }))).toEqual([]);
    expect(rules(updated({ ...object(), owners: 'same' }, { ...object(), owners: 'same' }))).toEqual(['V7.idle']);
  });

  it('notices uids that change, come twice, or are not those of the row', () => {
    expect(rules(updated(object({ uid: 'v', generation: 2 }, 2)))).toContain('V7.uid');
    expect(rules(created, { ...created, version: 3 })).toEqual(['V7.uid']);
    expect(rules({ ...created, uid: 'other' })).toEqual(['V7.uid']);
    expect(rules(updated(object({ creationTimestamp: 'x', generation: 2 }, 2)))).toEqual(['V7.uid']);
    expect(rules(updated(object({ name: 'b', generation: 2 }, 2)))).toEqual(['V7.uid']);
  });
});

describe('V8', () => {
  const usage = (change: Partial<Usage> = {}): Usage => ({
    process: 'p',
    handles: 50,
    heapBytes: 60 << 20,
    externalBytes: 5 << 20,
    ...change,
  });
  const rules = (after: Usage) => checkLeaks([usage()], [after]).map(({ rule }) => rule);

  it('accepts what is back, and a little more', () => {
    expect(rules(usage({ handles: 60, heapBytes: 70 << 20 }))).toEqual([]);
    expect(rules(usage({ process: 'new', handles: 900 }))).toEqual([]);
  });

  it('notices handles and memory that are kept', () => {
    expect(rules(usage({ handles: 250 }))).toEqual(['V8.handles']);
    expect(rules(usage({ heapBytes: 120 << 20 }))).toEqual(['V8.memory']);
    expect(rules(usage({ externalBytes: 90 << 20 }))).toEqual(['V8.memory']);
  });
});
