import { type ApiObject, copy, StatusError } from '@orch/machinery';
import { StoreUnavailableError, type WriteOp } from '@orch/storage';
import { CERTIFICATE_REQUEST, type TestApi, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UpdateFunction, WriteRequest } from './write-request.js';

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(() => api.close());

const configMap = (name: string, data = 'x'): ApiObject => ({ metadata: { name }, data: { text: data } });

interface Options {
  readonly resource?: string;
  readonly namespace?: string;
  readonly subresource?: string;
  readonly dryRun?: boolean;
}

const requestFor = (
  operation: 'CREATE' | 'UPDATE',
  name: string,
  { resource = 'configmaps', namespace, subresource = '', dryRun = false }: Options,
) => {
  const within = namespace !== undefined && { key: { namespace, name } };
  return api.request(operation, resource, name, { subresource, options: { dryRun }, ...within });
};
const createAt = async (request: WriteRequest, object: ApiObject) =>
  (await api.deps.pipeline.write(request, { create: () => copy(object) })).stored;
const create = (object: ApiObject, options: Options = {}) =>
  createAt(requestFor('CREATE', object.metadata?.name ?? '', options), object);
const update = (name: string, change: UpdateFunction, options: Options = {}) =>
  api.deps.pipeline.write(requestFor('UPDATE', name, options), { change });
const removeWith = (dryRun: boolean) => (resource: string, name: string) => {
  const { endpoint, key, caller } = api.request('DELETE', resource, name);
  return api.deps.remover.remove(endpoint, key, { dryRun }, caller);
};
const [removeNamed, removeDry] = [removeWith(false), removeWith(true)];

/** The Status that a call is refused with. */
async function refusal(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    if (error instanceof StatusError) return error.status;
    throw error;
  }
  throw new Error('it was not refused');
}

const setData =
  (text: string): UpdateFunction =>
  (current) => ({ ...current, data: { text } });
const body = (stored: { body: Buffer }) => JSON.parse(stored.body.toString()) as ApiObject;

/** Lets somebody else change an object right before each of the next writes. */
function overtake(name: string, times: number): void {
  let left = times;
  api.store.beforeWrite = async (op: WriteOp) => {
    if (left === 0) return undefined;
    left--;
    const row = api.store.rows(op.type).find((one) => one.name === name);
    if (!row) return undefined;
    const hook = api.store.beforeWrite;
    api.store.beforeWrite = undefined;
    const changed = JSON.parse(row.body.toString()) as ApiObject;
    const other = Buffer.from(
      JSON.stringify({ ...changed, data: { ...(changed.data as object), other: String(left) } }),
    );
    await api.store.write({ ...row, op: 'update', type: op.type, body: other, terminating: false });
    api.store.beforeWrite = hook;
    return undefined;
  };
}

describe('create', () => {
  it('sets what is the server’s, and nothing that the client claims of it', async () => {
    const before = Date.now();
    const stored = await create({
      metadata: {
        name: 'a',
        uid: 'mine',
        creationTimestamp: '2001-01-01T00:00:00Z',
        deletionTimestamp: '2001-01-01T00:00:00Z',
        deletionGracePeriodSeconds: 5,
        generation: 9,
        selfLink: '/x',
        managedFields: [{}],
      },
    });
    const { metadata } = body(stored);
    expect(metadata).toEqual({
      name: 'a',
      namespace: 'default',
      uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      creationTimestamp: expect.stringMatching(/Z$/),
    });
    expect(Date.parse(metadata?.creationTimestamp ?? '')).toBeGreaterThanOrEqual(Math.floor(before / 1000) * 1000);
  });

  it('refuses what names a version', async () => {
    const status = await refusal(create({ metadata: { name: 'a', resourceVersion: '1' } }));
    expect(status).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  it('judges what names a version before the store refuses it, which a dry run does not ask', async () => {
    const invalid = await refusal(create({ metadata: { name: 'A_', resourceVersion: '1' } }));
    expect(invalid).toMatchObject({ code: 422 });
    const request = api.request('CREATE', 'configmaps', 'a', { options: { dryRun: true } });
    const { stored } = await api.deps.pipeline.write(request, {
      create: () => ({ metadata: { name: 'a', resourceVersion: '1' } }),
    });
    expect([stored.version, api.stored('configmaps', 'a')]).toEqual([0n, undefined]);
  });

  it('refuses what is there already', async () => {
    await create(configMap('a'));
    expect(await refusal(create(configMap('a')))).toMatchObject({ code: 409, reason: 'AlreadyExists' });
  });

  it.each([
    ['no name', { metadata: {} }, 'metadata.name'],
    ['a bad name', { metadata: { name: 'A_b' } }, 'metadata.name'],
    ['a NUL in the name', { metadata: { name: 'a\0' } }, 'metadata.name'],
    ['a bad label', { metadata: { name: 'a', labels: { 'a b': 'c' } } }, 'metadata.labels'],
    ['a bad prefix', { metadata: { generateName: 'A_' } }, 'metadata.generateName'],
  ])('refuses %s before it reaches the database', async (_what, object, field) => {
    const writes = api.store.writes.length;
    const status = await refusal(create(object as ApiObject));
    expect(status).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(status.details?.causes?.map((cause) => cause.field)).toContain(field);
    expect(api.store.writes.length).toBe(writes);
  });

  it('refuses an object for another namespace or name than the path', async () => {
    const request = requestFor('CREATE', 'a', {});
    const elsewhere = { metadata: { name: 'a', namespace: 'other' } };
    expect(await refusal(createAt(request, elsewhere))).toMatchObject({ code: 400 });
    expect(await refusal(createAt(request, { metadata: { name: 'b' } }))).toMatchObject({ code: 400 });
  });

  it('needs a namespace that is there and stays', async () => {
    const missing = await refusal(create(configMap('a'), { namespace: 'nosuch' }));
    expect(missing).toMatchObject({ code: 404, reason: 'NotFound', details: { kind: 'namespaces', name: 'nosuch' } });
    await api.create('namespaces', { metadata: { name: 'going' } });
    await removeNamed('namespaces', 'going');
    for (const dryRun of [true, false]) {
      const going = await refusal(create(configMap('a'), { namespace: 'going', dryRun }));
      expect(going).toMatchObject({
        code: 403,
        reason: 'Forbidden',
        details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
      });
    }
  });

  it('draws another name when the generated one is taken, five times at most', async () => {
    const names: string[] = [];
    let taken = 2;
    api.store.beforeWrite = (op) => {
      names.push(op.name);
      return taken-- > 0 ? { outcome: 'already-exists' } : undefined;
    };
    const { get } = api.store.calls;
    const stored = await create({ metadata: { generateName: 'job-' } });
    expect(new Set(names).size).toBe(3);
    expect(api.store.calls.get, 'nothing is read of what has no name').toBe(get);
    expect(body(stored).metadata?.name).toBe(names[2]);
    expect(names[2]).toMatch(/^job-[a-z0-9]{5}$/);
    names.length = 0;
    taken = 100;
    expect(await refusal(create({ metadata: { generateName: 'job-' } }))).toMatchObject({ reason: 'AlreadyExists' });
    expect(names).toHaveLength(5);
  });

  it('does not draw another name when the client named it', async () => {
    await create(configMap('a'));
    const writes = api.store.writes.length;
    await refusal(create({ metadata: { name: 'a', generateName: 'a-' } }));
    expect(api.store.writes.length).toBe(writes + 1);
  });
});

describe('update', () => {
  it('keeps what clients may leave out', async () => {
    const { managedFields: _ofItsSecond, ...before } = body(await create(configMap('a'))).metadata ?? {};
    await update('a', () => ({ metadata: { name: 'a' }, data: { text: 'y' } }));
    expect(api.stored('configmaps', 'a')).toMatchObject({ metadata: before, data: { text: 'y' } });
  });

  it('writes nothing when nothing changes, and answers the version that is there', async () => {
    const { version } = await create(configMap('a'));
    const writes = api.store.writes.length;
    const { stored } = await update('a', (current) => ({ data: current.data, metadata: current.metadata ?? {} }));
    expect(api.store.writes.length).toBe(writes);
    expect(stored.version).toBe(version);
  });

  it('tries again on what is there now when it was overtaken', async () => {
    await create(configMap('a'));
    overtake('a', 3);
    const seen: unknown[] = [];
    await update('a', (current) => {
      const data = current.data as Record<string, string>;
      seen.push(data.other);
      return { ...current, data: { ...data, text: 'mine' } };
    });
    expect(seen).toEqual([undefined, '2', '1', '0']);
    expect(api.stored('configmaps', 'a')?.data).toEqual({ text: 'mine', other: '0' });
  });

  it('is a 409 when the client named the version that was overtaken', async () => {
    const { version } = await create(configMap('a'));
    await update('a', setData('y'));
    const stale: UpdateFunction = () => ({
      ...configMap('a', 'z'),
      metadata: { name: 'a', resourceVersion: String(version) },
    });
    expect(await refusal(update('a', stale))).toMatchObject({ code: 409, reason: 'Conflict' });
    overtake('a', 1);
    const named: UpdateFunction = (current) => ({ ...current, data: { text: 'z' } });
    const once = api.stored('configmaps', 'a')?.metadata?.resourceVersion ?? '';
    const pinned: UpdateFunction = async (current, ...rest) => {
      const wanted = await named(current, ...rest);
      return { ...wanted, metadata: { ...wanted.metadata, resourceVersion: once } };
    };
    expect(await refusal(update('a', pinned))).toMatchObject({ code: 409, reason: 'Conflict' });
    expect(api.stored('configmaps', 'a')?.data).toMatchObject({ text: 'y' });
  });

  it('is not written when its time is over before that', async () => {
    await create(configMap('a'));
    const request = requestFor('UPDATE', 'a', {});
    for (const [deadline, namesVersion] of [
      [performance.now() - 1, true],
      [performance.now() + 20, true],
    ] as const) {
      const change: UpdateFunction = async (current) => {
        await expect.poll(() => performance.now(), { interval: 1 }).toBeGreaterThan(deadline);
        return { ...current, data: { text: 'late' } };
      };
      const late = { ...request, hints: { namesVersion }, caller: { ...request.caller, deadline } };
      expect(await refusal(api.deps.pipeline.write(late, { change }))).toMatchObject({ code: 504, reason: 'Timeout' });
    }
    expect(api.stored('configmaps', 'a')?.data).not.toEqual({ text: 'late' });
  });

  it('reads anew before it says that a named version is stale', async () => {
    await create(configMap('a'));
    const cache = api.deps.cache.type(api.endpoint('configmaps').type, api.endpoint('configmaps').description);
    await cache.waitReady();
    // Memory has not heard of it.
    const { version, body: bytes, ...row } = api.store.rows(api.endpoint('configmaps').type)[0] ?? expect.unreachable();
    const ahead = { ...row, op: 'update', type: cache.type, version, body: bytes, terminating: false } as const;
    const written = await api.store.write(ahead);
    const newest = written.outcome === 'committed' ? String(written.version) : '';
    await update('a', () => ({ ...configMap('a', 'z'), metadata: { name: 'a', resourceVersion: newest } }));
    expect(api.stored('configmaps', 'a')?.data).toEqual({ text: 'z' });
  });

  it('is not made a second time when what it was refused upon turns out to be what is there', async () => {
    await create(configMap('a'));
    const cache = api.deps.cache.type(api.endpoint('configmaps').type, api.endpoint('configmaps').description);
    await cache.waitReady();
    expect(api.deps.reader.hint(cache.type, { namespace: 'default', name: 'a' })).toBeDefined();
    let asked = 0;
    const wrong: UpdateFunction = (current) => {
      asked++;
      return { ...current, data: { 'no key': 'x' } };
    };
    expect(await refusal(update('a', wrong))).toMatchObject({ code: 422 });
    expect(asked).toBe(1);
  });

  it('is not made a second time when it changes nothing upon what turns out to be there', async () => {
    await create(configMap('a'));
    const cache = api.deps.cache.type(api.endpoint('configmaps').type, api.endpoint('configmaps').description);
    await cache.waitReady();
    const [there] = api.store.rows(api.endpoint('configmaps').type);
    let asked = 0;
    const same: UpdateFunction = (current) => {
      asked++;
      return current;
    };
    const { stored, created } = await update('a', same);
    expect({ version: stored.version, created }).toEqual({ version: there?.version, created: false });
    expect(asked).toBe(1);
  });

  it('is made upon what is there where it changed nothing upon what was there before', async () => {
    await create(configMap('a'));
    const { type, description } = api.endpoint('configmaps');
    await api.deps.cache.type(type, description).waitReady();
    // Somebody changes it while memory has it as it was.
    const hint = api.deps.reader.hint(type, { namespace: 'default', name: 'a' }) ?? expect.unreachable();
    await update('a', setData('y'));
    const request = { ...requestFor('UPDATE', 'a', {}), hints: { found: hint } };
    await api.deps.pipeline.write(request, { change: setData('x') });
    expect(api.stored('configmaps', 'a')?.data).toEqual({ text: 'x' });
  });

  it('is a 404 for what is not there, or went meanwhile', async () => {
    expect(await refusal(update('a', setData('y')))).toMatchObject({ code: 404, reason: 'NotFound' });
    await create(configMap('a'));
    api.store.beforeWrite = (op) => {
      api.store.beforeWrite = undefined;
      const row = api.store.rows(op.type)[0];
      return row && api.store.write({ ...row, op: 'delete', type: op.type }).then(() => undefined);
    };
    expect(await refusal(update('a', setData('y')))).toMatchObject({ code: 404, reason: 'NotFound' });
  });

  it.each([
    ['another name', { name: 'b' }, 400],
    ['another namespace', { name: 'a', namespace: 'other' }, 400],
    ['another uid', { name: 'a', uid: 'other' }, 422],
    ['no name', {}, 400],
    ['a time of deletion', { name: 'a', deletionTimestamp: '2001-01-01T00:00:00Z' }, 422],
    ['a grace period', { name: 'a', deletionGracePeriodSeconds: 0 }, 422],
    ['garbage for a version', { name: 'a', resourceVersion: 'x' }, 409],
  ])('refuses %s', async (_what, metadata, code) => {
    await create(configMap('a'));
    const writes = api.store.writes.length;
    expect(await refusal(update('a', () => ({ metadata })))).toMatchObject({ code });
    expect(api.store.writes.length).toBe(writes);
  });

  it('refuses to change what is immutable', async () => {
    await create({ metadata: { name: 'a' }, immutable: true, data: { text: 'x' } });
    const status = await refusal(update('a', setData('y')));
    expect(status).toMatchObject({ code: 422, reason: 'Invalid', details: { name: 'a', kind: 'ConfigMap' } });
  });

  it('keeps apart the object and its status, and counts what is wanted', async () => {
    const labels = { app: 'a' };
    const spec = {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    };
    const at = { resource: 'deployments' };
    await create({ metadata: { name: 'd' }, spec, status: { replicas: 9 } }, at);
    const now = () => api.stored('deployments', 'd');
    expect(now()).toMatchObject({ metadata: { generation: 1 } });
    expect(now()?.status ?? {}).not.toHaveProperty('replicas', 9);
    const both: UpdateFunction = (current) => ({
      ...current,
      spec: { ...(current.spec as object), replicas: 3 },
      status: { replicas: 2 },
    });
    await update('d', both, { ...at, subresource: 'status' });
    expect(now()).toMatchObject({ metadata: { generation: 1 }, spec: { replicas: 1 }, status: { replicas: 2 } });
    const other: UpdateFunction = (current) => ({
      ...current,
      spec: { ...(current.spec as object), replicas: 3 },
      status: { replicas: 7 },
    });
    await update('d', other, at);
    expect(now()).toMatchObject({ metadata: { generation: 2 }, spec: { replicas: 3 }, status: { replicas: 2 } });
  });

  it('removes an object on its way out with its last finalizer', async () => {
    await create({ metadata: { name: 'a', finalizers: ['example.com/x', 'example.com/y'] } });
    await removeNamed('configmaps', 'a');
    const without =
      (finalizer: string): UpdateFunction =>
      (current) => ({
        ...current,
        metadata: {
          ...current.metadata,
          finalizers: (current.metadata?.finalizers ?? []).filter((one) => one !== finalizer),
        },
      });
    expect((await update('a', without('example.com/x'))).removed).toBe(false);
    const adding: UpdateFunction = (current) => ({
      ...current,
      metadata: { ...current.metadata, finalizers: ['example.com/y', 'example.com/new'] },
    });
    expect(await refusal(update('a', adding))).toMatchObject({ code: 422 });
    expect((await update('a', without('example.com/y'))).removed).toBe(true);
    expect(api.stored('configmaps', 'a')).toBeUndefined();
  });
});

describe('labels of jobs', () => {
  const containers = [{ name: 'c', image: 'i' }];
  const made = async (metadata: object, template: object) => {
    const spec = { template: { metadata: template, spec: { restartPolicy: 'Never', containers } } };
    const { body: bytes } = await create({ metadata: { name: 'j', ...metadata }, spec }, { resource: 'jobs' });
    const job = JSON.parse(bytes.toString()) as ApiObject;
    return Object.keys(job.metadata?.labels ?? {});
  };
  const given = ['batch.orch.io/controller-uid', 'batch.orch.io/job-name', 'controller-uid', 'job-name'];

  it('are those of their pods where they have none, also those that the server gives', async () => {
    expect((await made({}, { labels: { a: 'b' } })).sort()).toEqual(['a', ...given]);
  });

  it('are their own where they have some, also the same ones', async () => {
    expect(await made({ labels: { a: 'b' } }, { labels: { a: 'b' } })).toEqual(['a']);
  });
});

describe('certificate requests', () => {
  it('say who made them, whatever they say', async () => {
    const request = CERTIFICATE_REQUEST;
    const spec = {
      request,
      signerName: 'example.com/s',
      usages: ['any'],
      username: 'root',
      groups: ['system:masters'],
    };
    const asked = requestFor('CREATE', 'c', { resource: 'certificatesigningrequests' });
    const user = { name: 'jane', uid: 'u1', groups: ['dev'], extra: { scopes: ['a'] } };
    await createAt({ ...asked, caller: { ...asked.caller, user } }, { metadata: { name: 'c' }, spec });
    const made = api.stored('certificatesigningrequests', 'c')?.spec;
    expect(made).toMatchObject({ username: 'jane', uid: 'u1', groups: ['dev'], extra: { scopes: ['a'] } });
  });
});

describe('the version in which an object is stored', () => {
  const versions = () => api.store.writes.map(({ storedVersion }) => storedVersion);

  it('is said of every write, whatever version the client speaks', async () => {
    const endpoint = api.endpoints.find(
      ({ definition, conversion }) => definition.resource === 'horizontalpodautoscalers' && conversion,
    );
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
    const request = requestFor('CREATE', 'h', { resource: 'horizontalpodautoscalers' });
    api.store.writes.length = 0;
    const object = { metadata: { name: 'h', finalizers: ['example.com/x'] }, spec: { maxReplicas: 3, scaleTargetRef } };
    await createAt(endpoint ? { ...request, endpoint } : request, object);
    await removeNamed('horizontalpodautoscalers', 'h');
    const { storage } = endpoint ?? expect.unreachable();
    expect(versions()).toEqual([storage.version, storage.version]);
  });

  it('makes a write of an update that changes nothing, where it is another one', async () => {
    const resource = 'prioritylevelconfigurations';
    const { type } = api.endpoint(resource);
    const limited = { limitResponse: { type: 'Reject' } };
    await create({ metadata: { name: 'p' }, spec: { type: 'Limited', limited } }, { resource });
    const row = api.store.rows(type).find(({ name }) => name === 'p') ?? expect.unreachable();
    await api.store.write({ ...row, op: 'update', type, storedVersion: 'v1beta2', terminating: false });
    api.store.writes.length = 0;
    await update('p', (current) => current, { resource });
    await update('p', (current) => current, { resource });
    expect(versions()).toEqual(['v1beta3']);
  });
});

it('takes owners in the version that is stored along with a new object of another', async () => {
  const resource = 'horizontalpodautoscalers';
  const endpoint = api.endpoints.find(({ definition, conversion }) => definition.resource === resource && conversion);
  const fieldsV1 = { 'f:spec': { 'f:metrics': {}, 'f:minReplicas': {} } };
  const entry = { manager: 'm', operation: 'Update', apiVersion: 'autoscaling/v2', fieldsType: 'FieldsV1', fieldsV1 };
  const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };
  const request = api.request('CREATE', resource, 'h', endpoint && { endpoint });
  const create = () => ({ metadata: { name: 'h', managedFields: [entry] }, spec });
  const { stored } = await api.deps.pipeline.write(request, { create });
  expect(body(stored).metadata?.managedFields?.map(({ apiVersion }) => apiVersion)).toEqual(['autoscaling/v1']);
});

it('draws the owners of objects up to so many values', async () => {
  const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 'v']));
  const owners = async (count: number) => {
    const request = { ...requestFor('CREATE', `c${count}`, {}), hints: { bytes: 1 << 20 } };
    await createAt(request, { metadata: { name: `c${count}` }, data: keys(count) });
    return api.stored('configmaps', `c${count}`)?.metadata?.managedFields?.length ?? 0;
  };
  expect([await owners(19_000), await owners(20_001)]).toEqual([1, 0]);
});

it('keeps the owners that an object has when it grows beyond that', async () => {
  await create({ metadata: { name: 'grows' }, data: { a: 'b' } });
  const before = api.stored('configmaps', 'grows')?.metadata?.managedFields;
  const data = Object.fromEntries(Array.from({ length: 20_001 }, (_, i) => [`k${i}`, 'v']));
  const request = { ...requestFor('UPDATE', 'grows', {}), hints: { bytes: 1 << 20 } };
  await api.deps.pipeline.write(request, {
    change: ({ metadata: { managedFields: _sent, ...metadata } = {}, ...current }) => ({ ...current, metadata, data }),
  });
  expect(before).toHaveLength(1);
  expect(api.stored('configmaps', 'grows')?.metadata?.managedFields).toEqual(before);
});

describe('dry runs (spec: "Dry run")', () => {
  it('persist nothing and answer what would have been', async () => {
    const dryRun = { dryRun: true };
    const made = await create(configMap('a'), dryRun);
    expect([made.version, body(made).metadata?.name]).toEqual([0n, 'a']);
    await create(configMap('a'));
    const writes = api.store.writes.length;
    expect(await refusal(create(configMap('a'), dryRun))).toMatchObject({ reason: 'AlreadyExists' });
    expect(await refusal(create(configMap('b'), { ...dryRun, namespace: 'nosuch' }))).toMatchObject({ code: 404 });
    const { stored } = await update('a', setData('y'), dryRun);
    expect(body(stored).data).toEqual({ text: 'y' });
    expect(api.store.writes.length).toBe(writes);
    expect(api.stored('configmaps', 'a')?.data).toEqual({ text: 'x' });
  });
});

describe('addresses and ports', () => {
  const service = (name: string, spec: object = {}): ApiObject => ({
    metadata: { name },
    spec: { ports: [{ port: 80 }], ...spec },
  });
  const at = { resource: 'services' };
  const addressOf = (stored: { body: Buffer }) => (body(stored).spec as { clusterIP: string }).clusterIP;
  const free = async (address: string) => {
    const probe = await create(service('probe', { clusterIP: address }), at).then(
      () => true,
      () => false,
    );
    if (probe) await removeNamed('services', 'probe');
    return probe;
  };

  it('are held by a Service and free again after it', async () => {
    const address = addressOf(await create(service('a'), at));
    expect(await free(address)).toBe(false);
    await removeNamed('services', 'a');
    expect(await free(address)).toBe(true);
  });

  it('are different ones for each port of a Service', async () => {
    const ports = [80, 443].map((port) => ({ name: `p${port}`, port }));
    const made = body(await create(service('a', { type: 'NodePort', ports }), at)).spec as {
      ports: { nodePort: number }[];
    };
    const [one, other] = made.ports.map(({ nodePort }) => nodePort);
    expect(one).not.toBe(other);
  });

  it('are the same for two protocols of one port', async () => {
    const ports = ['TCP', 'UDP'].map((protocol) => ({ name: protocol.toLowerCase(), port: 53, protocol }));
    const spec = { type: 'NodePort', ports: [...ports, { name: 'web', port: 80 }] };
    const made = body(await create(service('a', spec), at)).spec as { ports: { nodePort: number }[] };
    const [tcp, udp, web] = made.ports.map(({ nodePort }) => nodePort);
    expect(udp).toBe(tcp);
    expect(web).not.toBe(tcp);
  });

  it('are taken by no dry run, not even for a moment', async () => {
    const ports = [80, 443].map((port) => ({ name: `p${port}`, port }));
    const writes = api.store.writes.length;
    const made = await create(service('a', { type: 'NodePort', ports }), { ...at, dryRun: true });
    expect(api.store.writes.length).toBe(writes);
    // What it answers could be.
    expect(addressOf(made)).toMatch(/^10\.96\.0\./);
    const given = (body(made).spec as { ports: { nodePort: number }[] }).ports.map(({ nodePort }) => nodePort);
    expect(new Set(given).size).toBe(2);
    await create(service('b'), at);
    const before = api.store.writes.length;
    const change: UpdateFunction = ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...(spec as object), type: 'NodePort' },
    });
    const changed = await update('b', change, { ...at, dryRun: true });
    expect(body(changed.stored).spec).toMatchObject({ ports: [{ nodePort: expect.any(Number) }] });
    await removeDry('services', 'b');
    expect(api.store.writes.length).toBe(before);
  });

  it('that are taken are a 422 for a dry run, too', async () => {
    await create(service('a', { clusterIP: '10.96.0.77' }), at);
    const status = await refusal(create(service('b', { clusterIP: '10.96.0.77' }), { ...at, dryRun: true }));
    expect(status).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.clusterIPs' }] } });
  });

  it('are given back when the write is refused', async () => {
    await create(service('a'), at);
    const status = await refusal(create(service('a', { clusterIP: '10.96.0.77' }), at));
    expect(status).toMatchObject({ reason: 'AlreadyExists' });
    expect(await free('10.96.0.77')).toBe(true);
  });

  it('that two protocols of a port share are given back when the write is refused', async () => {
    const port = (protocol: string) => ({ name: protocol.toLowerCase(), port: 53, nodePort: 30003, protocol });
    const dns = service('dns', { type: 'NodePort', ports: [port('TCP'), port('UDP')] });
    expect(await refusal(create(dns, { ...at, namespace: 'late' }))).toMatchObject({ code: 404 });
    expect(body(await create(dns, at)).spec).toMatchObject({ ports: [{ nodePort: 30003 }, { nodePort: 30003 }] });
  });

  it('are free again after a Service that goes with the update that changes them', async () => {
    const spec = { type: 'NodePort', ports: [{ port: 80, nodePort: 30003 }] };
    await create({ ...service('a', spec), metadata: { name: 'a', finalizers: ['example.com/x'] } }, at);
    await removeNamed('services', 'a');
    const change: UpdateFunction = ({ metadata, spec: held }) => ({
      metadata: { ...metadata, finalizers: [] },
      spec: { ...(held as object), ports: [{ port: 80, nodePort: 30004 }] },
    });
    expect((await update('a', change, at)).removed).toBe(true);
    expect(body(await create(service('b', spec), at)).spec).toMatchObject({ ports: [{ nodePort: 30003 }] });
  });

  it('that are taken are a 422 that says which', async () => {
    await create(service('a', { clusterIP: '10.96.0.77' }), at);
    const status = await refusal(create(service('b', { clusterIP: '10.96.0.77' }), at));
    expect(status).toMatchObject({ code: 422, details: { causes: [{ field: 'spec.clusterIPs' }] } });
  });

  it('are not asked for by who writes the status only, whatever has become of the networks', async () => {
    await create(service('a'), at);
    const { type } = api.endpoint('services');
    const [row] = api.store.rows(type).filter(({ name }) => name === 'a');
    if (!row) throw new Error('no Service');
    // As an installation of two networks has stored it.
    const stored = JSON.parse(row.body.toString()) as { spec: Record<string, unknown> };
    stored.spec = { ...stored.spec, ipFamilyPolicy: 'RequireDualStack' };
    const { version } = row;
    const key = { namespace: 'default', name: 'a' };
    await api.store.write({
      op: 'update',
      type,
      ...key,
      version,
      body: Buffer.from(JSON.stringify(stored)),
      terminating: false,
    });
    const conditions = [
      { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'R', message: '' },
    ];
    const change: UpdateFunction = (object) => ({ ...object, status: { conditions } });
    const request = api.request('UPDATE', 'services', 'a', { subresource: 'status' });
    const written = await api.deps.pipeline.write(request, { change });
    expect(body(written.stored).status).toMatchObject({ conditions });
    const spec = api.request('UPDATE', 'services', 'a');
    const touch: UpdateFunction = (object) => ({ ...object, metadata: { ...object.metadata, labels: { a: 'b' } } });
    expect(await refusal(api.deps.pipeline.write(spec, { change: touch }))).toMatchObject({ code: 422 });
  });

  it('are not given to others while nobody knows whether the write was committed', async () => {
    api.store.afterWrite = ({ name }) => {
      if (name === 'a') throw new StoreUnavailableError('the connection broke', true);
    };
    await expect(create(service('a', { clusterIP: '10.96.0.77' }), at)).rejects.toThrow(StoreUnavailableError);
    expect(api.stored('services', 'a')).toBeDefined();
    expect(await free('10.96.0.77')).toBe(false);
  });

  it('fail with the error of the write, also when giving back fails, too', async () => {
    api.store.beforeWrite = ({ name }) => {
      if (name !== 'a') return undefined;
      api.store.down = true;
      return { outcome: 'already-exists' };
    };
    expect(await refusal(create(service('a'), at))).toMatchObject({ reason: 'AlreadyExists' });
  });
});

it('lets others in between the steps of rules that take long, of small objects too', async () => {
  const request = requestFor('CREATE', 'slow', {});
  const seen: string[] = [];
  const validateCreate = function* () {
    for (const step of ['first', 'second', 'third']) {
      setTimeout(() => seen.push('other'), 0);
      for (const end = performance.now() + 15; performance.now() < end; );
      seen.push(step);
      yield [];
    }
  };
  const storageRules = { ...request.endpoint.storageRules, validateCreate };
  await createAt({ ...request, endpoint: { ...request.endpoint, storageRules } }, configMap('slow'));
  expect(seen.slice(0, 3)).toEqual(['first', 'other', 'second']);
});
