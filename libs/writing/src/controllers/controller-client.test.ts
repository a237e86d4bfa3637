import type { AdmissionPlugin, Attributes } from '@orch/admission';
import { ActionRecorder, type AuditBackend, type EventRecord, PolicyEvaluator } from '@orch/audit';
import type { Authorizer, RequestAttributes } from '@orch/authorization';
import { type ApiObject, tooManyRequests } from '@orch/machinery';
import { systemClock } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { controllerHost, MemoryStore, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ControllerClient } from './controller-client.js';
import type { ControllerSeats } from './controller-seats.js';
import type { LocalHost } from './local-client.js';

const ACCOUNT = 'namespace-controller';
const USER = 'system:serviceaccount:kube-system:namespace-controller';
const CONFIG_MAP = { metadata: { name: 'a', namespace: 'default' }, data: { key: 'value' } };

let api: TestApi;
let seen: { user: string; groups: readonly string[]; operation: string }[];
let asked: { user: string; request: RequestAttributes }[];
let refused: Set<string>;
let events: EventRecord[];
let level: 'Metadata' | 'Request' | 'RequestResponse' | 'None';
let stores: boolean;
const watching: AdmissionPlugin = {
  name: 'Watching',
  handles: () => true,
  validate: ({ user, operation }: Attributes) => {
    seen.push({ user: user.name, groups: user.groups, operation });
    return undefined;
  },
} as unknown as AdmissionPlugin;
const authorizer: Authorizer = {
  async authorize({ name: user }, request) {
    asked.push({ user, request });
    return refused.has(request.verb)
      ? { decision: 'no-opinion', reason: 'no rule' }
      : { decision: 'allow', reason: 'RBAC' };
  },
};
const backend: AuditBackend = {
  submit: (event) => {
    events.push(event);
    return Promise.resolve(stores);
  },
  close: async () => undefined,
};

beforeEach(async () => {
  [seen, asked, events, refused, level, stores] = [[], [], [], new Set(), 'RequestResponse', true];
  api = await testApi({}, 'kubernetes', new MemoryStore(), {}, [watching]);
  seen = [];
});
afterEach(() => api.close());

function client(term: () => number | undefined = () => 1, more: Partial<LocalHost> = {}): ControllerClient {
  const audit = new ActionRecorder({
    policy: new PolicyEvaluator({ rules: [{ level }] }),
    observer: { judged: () => undefined, recorded: () => undefined, rejected: () => undefined },
    ...{ backend, apiVersion: 'audit.k8s.io/v1', maxBodyBytes: 10_000, clock: systemClock },
  });
  return new ControllerClient(controllerHost(api, { authorizer, audit, term, ...more }), ACCOUNT);
}
const target = () => ({ endpoint: api.endpoint('configmaps'), key: { namespace: 'default', name: 'a' } });
const parsed = () => events.map(({ json }) => JSON.parse(json) as Record<string, unknown>);

describe('the writes of a controller', () => {
  it('take a seat each, before they are authorized, and give it back, also where they fail', async () => {
    const taken: string[] = [];
    const seats: ControllerSeats = {
      async take({ name }, { verb, resource }) {
        taken.push(`${name} ${verb} ${resource}`);
        return () => void taken.push('left');
      },
    };
    const own = client(undefined, { seats });
    await own.create(api.endpoint('configmaps'), CONFIG_MAP);
    refused.add('update');
    await expect(own.update(target(), (current) => current)).rejects.toMatchObject({ code: 403 });
    expect(taken).toEqual([`${USER} create configmaps`, 'left', `${USER} update configmaps`, 'left']);
  });

  describe('that get no seat', () => {
    let clock: ManualClock;
    let attempts: number[];
    let leads: boolean;
    let isFree: () => boolean;
    let own: ControllerClient;
    beforeEach(() => {
      [clock, attempts, leads, isFree] = [new ManualClock(), [], true, () => false];
      const seats: ControllerSeats = {
        async take() {
          attempts.push(clock.now());
          if (!isFree()) throw tooManyRequests('too many requests', 2);
          return () => undefined;
        },
      };
      own = client(() => (leads ? 1 : undefined), { seats, clock });
    });
    const create = () => own.create(api.endpoint('configmaps'), CONFIG_MAP);

    it('ask again when the refusal says so, ten times, before anything else is done', async () => {
      const refusal = expect(create()).rejects.toMatchObject({ code: 429 });
      await clock.advance(60_000);
      await refusal;
      expect(attempts).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20].map((second) => second * 1_000));
      expect(asked).toEqual([]);
      const [last] = parsed().filter(({ verb, stage }) => verb === 'create' && stage === 'ResponseComplete');
      expect(last).toMatchObject({ responseStatus: { code: 429 } });
    });

    it('are made once there is one', async () => {
      isFree = () => attempts.length === 3;
      const created = create();
      await clock.advance(4_000);
      await created;
      expect(await api.stored('configmaps', 'a')).toBeDefined();
      expect(attempts).toEqual([0, 2_000, 4_000]);
    });

    it('are given up once the process leads no longer', async () => {
      const refusal = expect(create()).rejects.toMatchObject({ code: 429 });
      await clock.advance(2_000);
      leads = false;
      await clock.advance(60_000);
      await refusal;
      expect(attempts).toEqual([0, 2_000]);
    });

    it('are not tried again after any other refusal', async () => {
      isFree = () => {
        throw new Error('no flow control');
      };
      await expect(create()).rejects.toThrow('no flow control');
      expect(attempts).toEqual([0]);
    });
  });

  it('are made by its service account, for admission and for who owns the fields', async () => {
    await client().create(api.endpoint('configmaps'), CONFIG_MAP);
    await client().update(target(), (current) => ({ ...current, data: { key: 'other' } }));
    await client().delete(api.endpoint('configmaps'), target().key, { dryRun: false });
    const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'];
    expect(seen).toEqual(['CREATE', 'UPDATE', 'DELETE'].map((operation) => ({ user: USER, groups, operation })));
    const [created] = parsed().filter(({ verb, stage }) => verb === 'create' && stage === 'ResponseComplete');
    expect(created?.responseObject).toMatchObject({
      metadata: { managedFields: [{ manager: 'kube-controller-manager', operation: 'Update' }] },
    });
  });

  it('are authorized as requests of a client are', async () => {
    await client().create(api.endpoint('configmaps'), CONFIG_MAP);
    await client().update(
      { endpoint: api.endpoint('namespaces'), key: { namespace: '', name: 'default' }, subresource: 'status' },
      (current) => current,
    );
    await client().deleteCollection(
      { endpoint: api.endpoint('configmaps'), namespace: 'default' },
      () => false,
      () => undefined,
    );
    const core = { isResourceRequest: true, group: '', version: 'v1' };
    expect(asked).toEqual([
      {
        user: USER,
        request: {
          ...{ ...core, verb: 'create', resource: 'configmaps', subresource: '', namespace: 'default', name: 'a' },
          path: '/api/v1/namespaces/default/configmaps',
        },
      },
      {
        user: USER,
        request: {
          ...{
            ...core,
            verb: 'update',
            resource: 'namespaces',
            subresource: 'status',
            namespace: 'default',
            name: 'default',
          },
          path: '/api/v1/namespaces/default/status',
        },
      },
      {
        user: USER,
        request: {
          ...{
            ...core,
            verb: 'deletecollection',
            resource: 'configmaps',
            subresource: '',
            namespace: 'default',
            name: '',
          },
          path: '/api/v1/namespaces/default/configmaps',
        },
      },
    ]);
    expect(api.stored('configmaps', 'a')).toBeUndefined();
  });

  it.each(['create', 'update', 'delete', 'deletecollection'])('are refused without the right to %s', async (verb) => {
    if (verb !== 'create') await api.create('configmaps', CONFIG_MAP);
    const before = api.stored('configmaps', 'a');
    const writes = api.store.writes.length;
    refused.add(verb);
    const configmaps = api.endpoint('configmaps');
    const attempts: Record<string, () => Promise<unknown>> = {
      create: () => client().create(configmaps, CONFIG_MAP),
      update: () => client().update(target(), () => ({ ...CONFIG_MAP, data: {} })),
      delete: () => client().delete(configmaps, target().key, { dryRun: false }),
      deletecollection: () =>
        client().deleteCollection(
          { endpoint: configmaps, namespace: 'default' },
          () => false,
          () => undefined,
        ),
    };
    await expect(attempts[verb]?.()).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining(`User "${USER}" cannot ${verb} resource "configmaps"`),
    });
    expect([api.stored('configmaps', 'a'), api.store.writes.length]).toEqual([before, writes]);
    expect(parsed().at(-1)).toMatchObject({
      stage: 'ResponseComplete',
      responseStatus: { status: 'Failure', reason: 'Forbidden', code: 403 },
      annotations: { 'authorization.k8s.io/decision': 'forbid', 'authorization.k8s.io/reason': 'no rule' },
    });
  });

  it('are recorded in the audit log, as much as the policy wants', async () => {
    await client().create(api.endpoint('configmaps'), CONFIG_MAP);
    const [received, complete] = parsed();
    expect(received).toMatchObject({ stage: 'RequestReceived', level: 'RequestResponse', verb: 'create' });
    expect(complete).toMatchObject({
      ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', auditID: received?.auditID, stage: 'ResponseComplete' },
      requestURI: '/api/v1/namespaces/default/configmaps',
      user: { username: USER },
      userAgent: `kube-controller-manager/${ACCOUNT}`,
      sourceIPs: ['127.0.0.1'],
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
      responseStatus: { code: 201 },
      requestObject: { data: { key: 'value' } },
      responseObject: { metadata: { uid: expect.any(String) }, data: { key: 'value' } },
      annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': 'RBAC' },
    });
    [events, level] = [[], 'Metadata'];
    await client().update(target(), (current) => ({ ...current, data: {} }));
    expect(parsed().map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(parsed().some((event) => 'requestObject' in event || 'responseObject' in event)).toBe(false);
    [events, level] = [[], 'None'];
    await client().delete(api.endpoint('configmaps'), target().key, { dryRun: false });
    expect(events).toEqual([]);
  });

  it('are recorded with the options and the answer of deletions, and with refusals', async () => {
    await client().create(api.endpoint('configmaps'), CONFIG_MAP);
    const uid = api.stored('configmaps', 'a')?.metadata?.uid;
    const remove = (more: object) =>
      client().delete(api.endpoint('configmaps'), target().key, { dryRun: false, ...more });
    events = [];
    await expect(remove({ uid: 'other' })).rejects.toMatchObject({ code: 409 });
    const options = { kind: 'DeleteOptions', apiVersion: 'v1' };
    expect(parsed()[1]).toMatchObject({
      requestObject: { ...options, preconditions: { uid: 'other' } },
      responseStatus: { code: 409, reason: 'Conflict' },
      responseObject: { kind: 'Status', code: 409, reason: 'Conflict' },
    });
    events = [];
    await remove({ uid, propagationPolicy: 'Background', gracePeriodSeconds: 0 });
    expect(parsed()[1]).toMatchObject({
      requestObject: { ...options, preconditions: { uid }, propagationPolicy: 'Background', gracePeriodSeconds: 0 },
      responseObject: { kind: 'Status', status: 'Success', details: { name: 'a', kind: 'configmaps', uid } },
    });
    const held = { metadata: { ...CONFIG_MAP.metadata, finalizers: ['example.com/held'] } };
    await client().create(api.endpoint('configmaps'), held);
    [events, level] = [[], 'Request'];
    await remove({});
    expect(parsed()[1]).toMatchObject({ requestObject: options });
    expect(parsed()[1]).not.toHaveProperty('responseObject');
    [events, level] = [[], 'RequestResponse'];
    await remove({});
    expect(parsed()[1]).toMatchObject({ responseObject: { metadata: { deletionTimestamp: expect.any(String) } } });
  });

  it('leave objects out of the audit log that are larger than it takes', async () => {
    await client().create(api.endpoint('configmaps'), { ...CONFIG_MAP, data: { key: 'x'.repeat(20_000) } });
    expect(parsed()[1]).toMatchObject({ annotations: { 'audit.k8s.io/truncated': 'true' } });
    expect(parsed()[1]).not.toHaveProperty('requestObject');
    expect(parsed()[1]).not.toHaveProperty('responseObject');
  });

  it('are not made where they cannot be recorded and have to be', async () => {
    stores = false;
    await expect(client().create(api.endpoint('configmaps'), CONFIG_MAP)).rejects.toMatchObject({ code: 500 });
    expect([api.stored('configmaps', 'a'), asked]).toEqual([undefined, []]);
  });
});

describe('what a controller has begun before its process lost the lease', () => {
  it.each([
    ['is lost', undefined],
    ['has been lost and taken again', 2],
  ])('is not written any more once it %s', async (_what, later) => {
    let term: number | undefined = 1;
    const late = client(() => term);
    await late.create(api.endpoint('configmaps'), CONFIG_MAP);
    const lose = (current: ApiObject) => {
      term = later;
      return { ...current, data: { key: 'late' } };
    };
    await expect(late.update(target(), lose)).rejects.toMatchObject({ code: 503 });
    expect(api.stored('configmaps', 'a')?.data).toEqual({ key: 'value' });
    term = undefined;
    await expect(late.delete(api.endpoint('configmaps'), target().key, { dryRun: false })).rejects.toMatchObject({
      code: 503,
    });
    const collection = { endpoint: api.endpoint('configmaps'), namespace: 'default' };
    await expect(
      late.deleteCollection(
        collection,
        () => false,
        () => undefined,
      ),
    ).rejects.toMatchObject({ code: 503 });
    const other = { metadata: { name: 'b', namespace: 'default' } };
    await expect(late.create(api.endpoint('configmaps'), other)).rejects.toMatchObject({ code: 503 });
    expect([api.stored('configmaps', 'a'), api.stored('configmaps', 'b')]).toEqual([expect.anything(), undefined]);
  });
});
