import { encodeObject, encodeUnknown } from '@orch/codec';
import type { ApiObject, Status } from '@orch/machinery';
import { listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let api: TestApi;
let server: TestServer;
beforeEach(async () => {
  api = await testApi();
  server = await openServer(listenerOf(api));
});
afterEach(async () => {
  await server.close();
  api.close();
});

const create = (spec: object = {}, metadata: object = {}) =>
  api.create('pods', {
    metadata: { name: 'p', ...metadata },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
  });
const binding = (more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name: 'p' },
  target: { kind: 'Node', name: 'n' },
  ...more,
});
async function bind(body: object, place = 'pods/p/binding') {
  const path = `/api/v1/namespaces/default/${place}`;
  const answer = await server.ask(path, { method: 'POST', body: JSON.stringify(body) });
  return { code: answer.status, status: JSON.parse(answer.body.toString()) as Status };
}
const stored = () => api.stored('pods', 'p') as ApiObject;

describe('a binding', () => {
  it.each(['pods/p/binding', 'bindings'])('sets node, annotations and condition in one write (%s)', async (place) => {
    await create({}, { annotations: { a: '1', b: '1' } });
    api.store.writes.length = 0;
    const bound = await bind(binding({ metadata: { name: 'p', annotations: { b: '2', c: '2' } } }), place);
    expect(bound).toEqual({
      code: 201,
      status: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    });
    expect(api.store.writes).toHaveLength(1);
    expect(stored()).toMatchObject({
      metadata: { annotations: { a: '1', b: '2', c: '2' } },
      spec: { nodeName: 'n' },
      status: { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True', lastProbeTime: null }] },
    });
  });

  it('gives nobody what it sets', async () => {
    await create();
    const { managedFields } = stored().metadata ?? {};
    await bind(binding());
    expect(managedFields).toHaveLength(1);
    expect(stored().metadata?.managedFields).toEqual(managedFields);
  });

  it('comes in protobuf from schedulers', async () => {
    await create();
    const { apiVersion, kind, ...rest } = binding();
    const raw = encodeObject(api.deps.scheme.struct('core/v1.Binding'), rest);
    const body = Buffer.from(encodeUnknown({ apiVersion, kind, raw }));
    const headers = { 'Content-Type': api.deps.names.protobufMediaType };
    const answer = await server.ask('/api/v1/namespaces/default/pods/p/binding', { method: 'POST', body, headers });
    expect(answer.status).toBe(201);
    expect(stored().spec).toMatchObject({ nodeName: 'n' });
  });

  it('takes the place of what was said of scheduling before', async () => {
    await create();
    const request = api.request('UPDATE', 'pods', 'p', { subresource: 'status' });
    const before = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      lastTransitionTime: '2020-01-01T00:00:00Z',
    };
    const status = { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False' }, before] };
    await api.deps.pipeline.write(request, { change: (current) => ({ ...current, status }) });
    expect((await bind(binding())).code).toBe(201);
    const { conditions } = stored().status as { conditions: Record<string, unknown>[] };
    expect(conditions).toHaveLength(2);
    expect(conditions[1]).not.toHaveProperty('reason');
    expect(conditions[1]?.lastTransitionTime).not.toBe(before.lastTransitionTime);
  });

  it('that is a dry run writes nothing', async () => {
    await create();
    api.store.writes.length = 0;
    expect((await bind(binding(), 'pods/p/binding?dryRun=All')).code).toBe(201);
    expect(api.store.writes).toEqual([]);
  });

  it('goes through once of many at a time', async () => {
    await create();
    const nodes = Array.from({ length: 6 }, (_, at) => ({ target: { name: `n${at}` } }));
    const answers = await Promise.all(nodes.map((target) => bind(binding(target))));
    expect(answers.filter(({ code }) => code === 201)).toHaveLength(1);
    const refused = answers.filter(({ code }) => code === 409);
    expect(refused).toHaveLength(5);
    expect(refused[0]?.status.message).toContain('pod p is already assigned to node "n');
  });

  const CASES: [what: string, spec: object, metadata: object, body: object, code: number, message: string][] = [
    [
      'is bound',
      { nodeName: 'x' },
      {},
      {},
      409,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "x"',
    ],
    [
      'waits at a gate',
      { schedulingGates: [{ name: 'g.io/g' }] },
      {},
      {},
      409,
      'pod p has non-empty .spec.schedulingGates',
    ],
    ['is another', {}, {}, { metadata: { name: 'p', uid: 'other' } }, 409, 'UID in precondition: other'],
    [
      'has changed',
      {},
      {},
      { metadata: { name: 'p', resourceVersion: '1' } },
      409,
      'ResourceVersion in precondition: 1',
    ],
    ['has another name', {}, {}, { metadata: { name: 'q' } }, 400, 'name in URL does not match name in Binding object'],
    ['is elsewhere', {}, {}, { metadata: { name: 'p', namespace: 'x' } }, 400, 'does not match the namespace'],
    ['goes to no node', {}, {}, { target: { kind: 'Pod', name: 'n' } }, 422, 'target.kind: Unsupported value: "Pod"'],
    ['goes nowhere', {}, {}, { target: {} }, 422, 'target.name: Required value'],
    ['is a dry run of a kind', {}, {}, { kind: 'Pod' }, 400, 'expected kind Binding'],
  ];
  it.each(CASES)('is refused for a pod that %s', async (_what, spec, metadata, body, code, message) => {
    await create(spec, metadata);
    const before = stored();
    const refused = await bind(binding(body));
    expect(refused).toMatchObject({ code, status: { message: expect.stringContaining(message) } });
    expect(stored()).toEqual(before);
  });

  it('is refused for a pod on its way out, and for none', async () => {
    await create({}, { finalizers: ['example.com/x'] });
    const { endpoint, key, caller } = api.request('DELETE', 'pods', 'p');
    await api.deps.remover.remove(endpoint, key, { dryRun: false }, caller);
    const refused = await bind(binding());
    expect(refused).toMatchObject({ code: 409 });
    expect(refused.status.message).toContain('pod p is being deleted, cannot be assigned to a host');
    const none = await bind(binding({ metadata: { name: 'q' } }), 'pods/q/binding');
    expect(none).toMatchObject({ code: 404, status: { message: 'pods "q" not found' } });
  });

  it('names a pod and writes annotations that can be', async () => {
    await create();
    expect((await bind(binding({ metadata: {} }), 'bindings')).code).toBe(400);
    const refused = await bind(binding({ metadata: { name: 'p', annotations: { 'not a key': 'x' } } }));
    expect(refused).toMatchObject({ code: 422, status: { details: { causes: [{ field: 'metadata.annotations' }] } } });
  });
});
