import { type AdmissionPlugin, type AdmittedOperation, type Attributes, refusal } from '@orch/admission';
import type { ApiObject, JsonObject } from '@orch/machinery';
import {
  CERTIFICATE_REQUEST,
  listenerOf,
  MemoryStore,
  openServer,
  runNamespaceController,
  type TestApi,
  type TestServer,
  testApi,
} from '@orch/testing';
import { afterEach, describe, expect, it } from 'vitest';
import type { UpdateFunction } from '../pipeline/write-request.js';

const LABEL = 'example.com/forbidden';
const WHY = `the label ${LABEL} is not allowed`;

let api: TestApi;
let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
  api.close();
});

const start = async (...plugins: AdmissionPlugin[]) => {
  api = await testApi({}, 'orch', new MemoryStore(), {}, plugins);
};
const setData =
  (text: string): UpdateFunction =>
  (current) => ({ ...current, data: { text } });
const update = (name: string, change: UpdateFunction) =>
  api.deps.pipeline.write(api.request('UPDATE', 'configmaps', name), { change });
const configMap = (name: string): ApiObject => ({ metadata: { name }, data: {} });

/** The plugin of docs/extend.md, with a switch so that there can be labelled objects. */
const refuseLabel = {
  on: false,
  name: 'RefuseLabel',
  handles: () => refuseLabel.on,
  validate(attributes: Attributes): void {
    const labels = (attributes.object ?? attributes.oldObject)?.metadata?.labels ?? {};
    if (LABEL in labels) throw refusal(attributes, WHY);
  },
};

describe('a plugin that refuses a label', () => {
  const labels = { [LABEL]: 'x' };
  const pod = { spec: { containers: [{ name: 'c', image: 'i' }] } };
  const web = {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'web', labels },
    spec: { selector: { matchLabels: { app: 'w' } }, template: { metadata: { labels: { app: 'w' } }, ...pod } },
  };
  const request = CERTIFICATE_REQUEST;
  const csr = { metadata: { name: 'csr', labels }, spec: { request, signerName: 'example.com/s', usages: ['any'] } };
  const apps = '/apis/apps/v1/namespaces/default/deployments';
  const core = '/api/v1/namespaces/default';
  const leases = '/apis/coordination.orch.io/v1/namespaces/default/leases';
  const requests = '/apis/certificates.orch.io/v1/certificatesigningrequests/csr';
  const lease = { metadata: { name: 'new', labels } };
  const merge = 'application/merge-patch+json';
  const strategic = 'application/strategic-merge-patch+json';
  const json = 'application/json-patch+json';
  const applied = 'application/apply-patch+yaml';
  const typed = { kind: 'Deployment', apiVersion: 'apps/v1' };
  const note = { metadata: { annotations: { a: 'b' } } };
  const scale = { metadata: { name: 'web' }, spec: { replicas: 3 } };

  const REQUESTS: [what: string, method: string, path: string, body: unknown, resource: string, type?: string][] = [
    ['create', 'POST', apps, { ...web, metadata: { name: 'other', labels } }, 'deployments.apps "other"'],
    [
      'create with a generated name',
      'POST',
      apps,
      { ...web, metadata: { generateName: 'g-', labels } },
      'deployments.apps "g-',
    ],
    ['update', 'PUT', `${apps}/web`, web, 'deployments.apps "web"'],
    ['merge patch', 'PATCH', `${apps}/web`, note, 'deployments.apps "web"', merge],
    ['strategic merge patch', 'PATCH', `${apps}/web`, note, 'deployments.apps "web"', strategic],
    [
      'JSON patch',
      'PATCH',
      `${apps}/web`,
      [{ op: 'add', path: '/spec/paused', value: true }],
      'deployments.apps "web"',
      json,
    ],
    ['status', 'PUT', `${apps}/web/status`, web, 'deployments.apps "web"'],
    ['patch of status', 'PATCH', `${apps}/web/status`, note, 'deployments.apps "web"', merge],
    ['scale', 'PUT', `${apps}/web/scale`, scale, 'deployments.apps "web"'],
    ['patch of scale', 'PATCH', `${apps}/web/scale`, { spec: { replicas: 2 } }, 'deployments.apps "web"', merge],
    [
      'finalize',
      'PUT',
      '/api/v1/namespaces/labelled/finalize',
      { metadata: { name: 'labelled', labels } },
      'namespaces "labelled"',
    ],
    ['approval', 'PUT', `${requests}/approval`, csr, 'certificatesigningrequests.certificates.orch.io "csr"'],
    ['ephemeral containers', 'PATCH', `${core}/pods/p/ephemeralcontainers`, note, 'pods "p"', merge],
    ['eviction', 'POST', `${core}/pods/p/eviction`, { metadata: { name: 'p', labels } }, 'pods "p"'],
    [
      'binding',
      'POST',
      `${core}/pods/p/binding`,
      { metadata: { name: 'p', labels }, target: { name: 'n' } },
      'pods "p"',
    ],
    [
      'apply',
      'PATCH',
      `${apps}/web?fieldManager=m`,
      { ...typed, metadata: { name: 'web' } },
      'deployments.apps "web"',
      applied,
    ],
    [
      'apply that creates',
      'PATCH',
      `${core}/configmaps/new?fieldManager=m`,
      { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'new', labels } },
      'configmaps "new"',
      applied,
    ],
    [
      'apply of scale',
      'PATCH',
      `${apps}/web/scale?fieldManager=m&force=true`,
      { kind: 'Scale', apiVersion: 'autoscaling/v1', ...scale },
      'deployments.apps "web"',
      applied,
    ],
    [
      'apply of status',
      'PATCH',
      `${apps}/web/status?fieldManager=m`,
      { ...typed, metadata: { name: 'web' }, status: { observedGeneration: 7 } },
      'deployments.apps "web"',
      applied,
    ],
    ['PUT that creates', 'PUT', `${leases}/new`, lease, 'leases.coordination.orch.io "new"'],
    ['delete', 'DELETE', `${apps}/web`, undefined, 'deployments.apps "web"'],
    ['deletion of a collection', 'DELETE', apps, undefined, 'deployments.apps "web"'],
  ];

  const begin = async () => {
    refuseLabel.on = false;
    await start(refuseLabel);
    await api.create('deployments', web);
    await api.create('namespaces', { metadata: { name: 'labelled', labels } });
    await api.create('pods', { metadata: { name: 'p', labels }, ...pod });
    await api.create('certificatesigningrequests', csr);
    server = await openServer(listenerOf(api));
    api.store.writes.length = 0;
    refuseLabel.on = true;
  };

  it.each(
    REQUESTS.flatMap((each) => [
      [...each.slice(0, 1), '', each],
      [`dry run of ${each[0]}`, '?dryRun=All', each],
    ]) as [string, string, (typeof REQUESTS)[number]][],
  )('holds on %s', async (_what, query, [, method, path, body, resource, type = 'application/json']) => {
    await begin();
    const sent = body !== undefined && { headers: { 'Content-Type': type }, body: JSON.stringify(body) };
    const also = path.includes('?') ? query.replace('?', '&') : query;
    const answer = await server?.ask(`${path}${also}`, { method, ...sent });
    expect(answer?.status).toBe(403);
    const status = JSON.parse(answer?.body.toString() ?? '') as { message: string };
    expect(status).toMatchObject({ kind: 'Status', reason: 'Forbidden', details: { kind: resource.split(/[. ]/)[0] } });
    expect(status.message).toMatch(/^\S+ "[^"]+" is forbidden: the label/);
    expect(status.message).toContain(resource);
    expect(status.message).toContain(WHY);
    expect(api.store.writes).toEqual([]);
  });

  it('holds for what controllers write', async () => {
    await begin();
    refuseLabel.on = false;
    const { endpoint, key, caller } = api.request('DELETE', 'namespaces', 'labelled');
    await api.deps.remover.remove(endpoint, key, { dryRun: false }, caller);
    refuseLabel.on = true;
    const errors: unknown[] = [];
    const controllers = await runNamespaceController(api, { onError: (error) => void errors.push(error) });
    await expect.poll(() => errors.length).toBeGreaterThan(0);
    await controllers.stop();
    expect(errors[0]).toMatchObject({ code: 403 });
    expect(api.stored('namespaces', 'labelled')).toBeDefined();
  });

  it('knows until when its client waits', async () => {
    const deadlines: number[] = [];
    const noting: AdmissionPlugin = {
      name: 'Noting',
      handles: () => true,
      validate: ({ deadline }) => void deadlines.push(deadline),
    };
    await start(noting);
    server = await openServer(listenerOf(api));
    const before = performance.now();
    await server.ask(`${core}/configmaps?timeout=7s`, { method: 'POST', body: JSON.stringify(configMap('a')) });
    const deadline = deadlines.at(-1) ?? 0;
    expect(deadline).toBeGreaterThanOrEqual(before + 7_000);
    expect(deadline).toBeLessThanOrEqual(performance.now() + 7_000);
  });

  it('lets everything else through', async () => {
    await begin();
    const answer = await server?.ask(`${core}/configmaps`, { method: 'POST', body: JSON.stringify(configMap('a')) });
    expect(answer?.status).toBe(201);
  });
});

describe('what plugins see', () => {
  const seen: Attributes[] = [];
  const watching = (rest: Partial<AdmissionPlugin> = {}): AdmissionPlugin => ({
    name: 'Watching',
    handles: () => true,
    validate: (attributes) => void seen.push(attributes),
    ...rest,
  });
  const last = () => seen.at(-1) ?? expect.unreachable();

  it('is who asks, what for, and how', async () => {
    await start(watching());
    await api.create('configmaps', configMap('a'));
    const user = { name: 'jane', groups: ['dev'], extra: {} };
    const caller = { ...api.request('UPDATE', 'configmaps', 'a').caller, user };
    const options = { dryRun: true, fieldManager: 'me' };
    await api.deps.pipeline.write(api.request('UPDATE', 'configmaps', 'a', { caller, options }), {
      change: setData('y'),
    });
    expect(last()).toMatchObject({
      operation: 'UPDATE',
      group: '',
      version: 'v1',
      resource: 'configmaps',
      kind: 'ConfigMap',
    });
    expect(last()).toMatchObject({ namespace: 'default', name: 'a', subresource: '', user, options });
    expect(last().object).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { text: 'y' } });
    expect(last().oldObject).toMatchObject({ metadata: { name: 'a', uid: expect.any(String) } });
    expect(last().oldObject?.data).not.toHaveProperty('text');
  });

  it('is a creation for a PUT that finds nothing, and of a deletion only what was there', async () => {
    await start(watching());
    const put = api.request('UPDATE', 'leases', 'l');
    await api.deps.pipeline.write(put, { change: (one) => one, create: () => ({ metadata: { name: 'l' } }) });
    expect(last()).toMatchObject({ operation: 'CREATE', oldObject: undefined });
    const { endpoint, key, caller } = api.request('DELETE', 'leases', 'l');
    await api.deps.remover.remove(endpoint, key, { dryRun: false, gracePeriodSeconds: 3 }, caller);
    expect(last()).toMatchObject({ operation: 'DELETE', object: undefined, options: { gracePeriodSeconds: 3 } });
    expect(last().oldObject?.metadata).not.toHaveProperty('deletionTimestamp');
  });

  it('has defaults when it may be changed, and a name and uid once it is complete', async () => {
    const admitted: (ApiObject | undefined)[] = [];
    await start(watching({ admit: ({ object }) => void admitted.push(structuredClone(object)) }));
    await api.create('services', { metadata: { generateName: 's-', uid: 'mine' }, spec: { ports: [{ port: 80 }] } });
    expect(admitted.at(-1)).toMatchObject({ spec: { type: 'ClusterIP', ports: [{ protocol: 'TCP' }] } });
    const managedFields = [expect.objectContaining({ operation: 'Update' })];
    expect(admitted.at(-1)?.metadata).toEqual({ generateName: 's-', namespace: 'default', managedFields });
    expect(last()).toMatchObject({
      name: expect.stringMatching(/^s-/),
      object: { metadata: { uid: expect.any(String) } },
    });
  });

  it('is in the version of the request', async () => {
    await start(watching());
    const endpoint = api.endpoints.find(
      ({ definition, conversion }) => definition.resource === 'horizontalpodautoscalers' && conversion,
    );
    const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } };
    const rest = endpoint && { endpoint };
    const create = () => ({ metadata: { name: 'h' }, spec: { ...spec, targetCPUUtilizationPercentage: 50 } });
    await api.deps.pipeline.write(api.request('CREATE', 'horizontalpodautoscalers', 'h', rest), { create });
    expect(last()).toMatchObject({ version: 'v1', object: { apiVersion: 'autoscaling/v1' } });
    expect(last().object?.spec).toHaveProperty('targetCPUUtilizationPercentage', 50);
  });

  it('names a Namespace as its own namespace', async () => {
    await start(watching());
    await api.create('namespaces', { metadata: { name: 'n' } });
    expect(last()).toMatchObject({ namespace: 'n', name: 'n' });
  });

  it('cannot be changed any more where it is judged', async () => {
    await start(watching({ validate: ({ object }) => void Object.assign(object ?? {}, { data: { text: 'plugin' } }) }));
    await api.create('configmaps', configMap('a'));
    expect(api.stored('configmaps', 'a')?.data).not.toHaveProperty('text');
  });
});

describe('what a plugin changes', () => {
  const changing = (change: (object: ApiObject, operation: AdmittedOperation) => void): AdmissionPlugin => ({
    name: 'Changing',
    handles: () => true,
    admit: ({ object, operation }) => void (object && change(object, operation)),
  });

  it('is stored, defaulted and judged', async () => {
    await start(changing((object) => void Object.assign(object, { data: { 'not ok': 'x' } })));
    await expect(api.create('configmaps', configMap('a'))).rejects.toMatchObject({ code: 422 });
  });

  it('gets the defaults that follow from it', async () => {
    const bare = { name: 'added', image: 'i' };
    await start(
      changing((object) => {
        if (object.kind === 'Pod') (object.spec as { containers: object[] }).containers.push({ ...bare });
      }),
    );
    const { spec } = await api.create('pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    expect((spec as { containers: object[] }).containers[1]).toMatchObject({ ...bare, imagePullPolicy: 'Always' });
  });

  it('cannot be what is the server’s', async () => {
    await start(
      changing((object, operation) => {
        if (object.kind !== 'ConfigMap') return;
        const meta = object.metadata ?? {};
        Object.assign(meta, {
          managedFields: [{}],
          creationTimestamp: '2001-01-01T00:00:00Z',
          generation: 9,
          selfLink: 'x',
        });
        if (operation === 'CREATE') meta.uid = 'mine';
      }),
    );
    await api.create('configmaps', configMap('a'));
    await update('a', setData('y'));
    const meta = api.stored('configmaps', 'a')?.metadata;
    expect(meta).not.toHaveProperty('managedFields');
    expect(meta).not.toHaveProperty('generation');
    expect(meta).not.toHaveProperty('selfLink');
    expect(meta?.uid).not.toBe('mine');
    expect(meta?.creationTimestamp).not.toMatch(/^2001/);
  });
});

describe('a plugin that changes owners in place', () => {
  type Entries = JsonObject[];
  const onCreate = (name: string, change: (entries: Entries) => void): AdmissionPlugin => ({
    name: 'Owning',
    handles: ({ operation, name: named }) => operation === 'CREATE' && named === name,
    admit: ({ object }) => void (object?.metadata?.managedFields && change(object.metadata.managedFields)),
  });
  const ownersOf = (name: string) => api.stored('configmaps', name)?.metadata?.managedFields;
  const made = (name: string): ApiObject => ({ metadata: { name, labels: { app: 'web' } }, data: { a: 'b' } });

  it('may break its own entries, which are put back', async () => {
    await start(
      onCreate('broken', ([entry]) => {
        if (entry) entry.fieldsV1 = { 'no element': {} };
      }),
    );
    await api.create('configmaps', made('whole'));
    const request = api.request('CREATE', 'configmaps', 'broken');
    await api.deps.pipeline.write(request, { create: () => made('broken') });
    expect(request.caller.warnings).toEqual([
      expect.stringContaining('.metadata.managedFields was in an invalid state'),
    ]);
    expect(ownersOf('broken')).toEqual(ownersOf('whole'));
  });

  it('cannot touch fields that other objects have as well', async () => {
    await start(
      onCreate('greedy', ([entry]) => {
        const { 'f:data': data } = (entry ?? expect.unreachable()).fieldsV1 as { 'f:data': JsonObject };
        data['f:stolen'] = {};
      }),
    );
    await api.create('configmaps', made('a'));
    const before = ownersOf('a');
    const expected = structuredClone(before);
    await expect(api.create('configmaps', made('greedy'))).rejects.toThrow(/not extensible/);
    await api.create('configmaps', made('b'));
    expect(before).toEqual(expected);
    const untimed = (owners: readonly object[] = []) => owners.map((entry) => ({ ...entry, time: undefined }));
    expect(untimed(ownersOf('b'))).toEqual(untimed(expected));
  });
});

describe('what a plugin changes of what is POSTed and not kept', () => {
  const ask = async (path: string, body: object) => {
    server = await openServer(listenerOf(api));
    const answer = await server.ask(path, { method: 'POST', body: JSON.stringify(body) });
    return { code: answer.status, answer: JSON.parse(answer.body.toString()) };
  };
  const into = (kind: string, members: object): AdmissionPlugin => ({
    name: 'Into',
    handles: () => true,
    admit: ({ object }) => void (object?.kind === kind && Object.assign(object, members)),
  });
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] };
  const pods = '/api/v1/namespaces/default/pods';
  const reviews = (group: string) => `/apis/${group}.orch.io/v1`;

  it('is how a pod is evicted', async () => {
    await start(into('Eviction', { deleteOptions: { gracePeriodSeconds: 0 } }));
    await api.create('pods', { metadata: { name: 'p' }, spec });
    expect(await ask(`${pods}/p/eviction`, { metadata: { name: 'p' } })).toMatchObject({ code: 201 });
    expect(api.stored('pods', 'p')).toBeUndefined();
  });

  it('is judged before a pod is bound', async () => {
    await start(into('Binding', { target: { kind: 'Node', name: '' } }));
    await api.create('pods', { metadata: { name: 'p' }, spec: { ...spec, nodeName: '' } });
    const bound = await ask(`${pods}/p/binding`, { metadata: { name: 'p' }, target: { name: 'n' } });
    expect(bound).toMatchObject({ code: 422, answer: { message: expect.stringContaining('target.name: Required') } });
  });

  it('is what is asked in a review', async () => {
    const resourceAttributes = { verb: 'get', resource: 'pods' };
    const spec = { user: 'a', groups: ['system:unauthenticated'], resourceAttributes };
    await start(into('SubjectAccessReview', { spec }));
    const asked = { spec: { user: 'b', groups: ['system:authenticated'], resourceAttributes } };
    const path = `${reviews('authorization')}/subjectaccessreviews`;
    expect(await ask(path, asked)).toMatchObject({ code: 201, answer: { spec, status: { allowed: false } } });
  });

  it('is judged in a review', async () => {
    await start(into('TokenReview', { spec: {} }));
    const review = await ask(`${reviews('authentication')}/tokenreviews`, { spec: { token: 'x' } });
    expect(review).toMatchObject({ code: 400, answer: { message: expect.stringContaining('token is required') } });
  });

  it('follows from the whole question, though the answer does not say it again', async () => {
    const seen: unknown[] = [];
    await start({ name: 'S', handles: () => true, validate: ({ object }) => void seen.push(object?.spec) });
    const path = `${reviews('authorization')}/selfsubjectrulesreviews`;
    expect(await ask(path, { spec: { namespace: 'default' } })).toMatchObject({ code: 201, answer: { spec: {} } });
    expect(seen.at(-1)).toEqual({ namespace: 'default' });
  });
});

describe('a plugin that calls out', () => {
  let asked: Attributes[] = [];
  let answer = (): void => undefined;
  let answered: Promise<void> = Promise.resolve();
  const hold = () => {
    asked = [];
    answered = new Promise((resolve) => {
      answer = resolve;
    });
  };
  const calling: AdmissionPlugin = {
    name: 'Calling',
    callsOut: true,
    handles: ({ resource, operation }) => resource === 'configmaps' && operation === 'UPDATE',
    async validate(attributes) {
      asked.push(attributes);
      attributes.warn('be careful');
      await answered;
    },
  };
  /** Somebody else changes the object right before each write. */
  const overtake = () => {
    api.store.beforeWrite = async (op) => {
      const hook = api.store.beforeWrite;
      api.store.beforeWrite = undefined;
      const row = api.store.rows(op.type).find(({ name }) => name === op.name) ?? expect.unreachable();
      const body = Buffer.from(row.body.toString().replace(/"data":\{[^}]*\}/, `"data":{"n":"${row.version}"}`));
      await api.store.write({ ...row, op: 'update', type: op.type, body, terminating: false });
      api.store.beforeWrite = hook;
      return undefined;
    };
  };

  it('keeps nobody from the same object, and holds no turn', async () => {
    await start(calling);
    await api.create('configmaps', configMap('a'));
    hold();
    const updates = ['x', 'y', 'z'].map((text) => update('a', setData(text)));
    await expect.poll(() => asked.length).toBe(3);
    // A deletion of the same object, about which it has nothing to say, does not wait for them either.
    await api.create('configmaps', configMap('b'));
    const { endpoint, key, caller } = api.request('DELETE', 'configmaps', 'b');
    expect((await api.deps.remover.remove(endpoint, key, { dryRun: false }, caller)).gone).toBe(true);
    expect(api.store.openSnapshots).toBe(0);
    answer();
    await Promise.all(updates);
    // Those that were overtaken meanwhile asked again.
    expect(asked.length).toBeGreaterThan(3);
  });

  it('is asked again for each of five more tries, and then it is a conflict', async () => {
    await start(calling);
    await api.create('configmaps', configMap('a'));
    hold();
    answer();
    overtake();
    await expect(update('a', setData('mine'))).rejects.toMatchObject({ code: 409, status: { reason: 'Conflict' } });
    expect(asked).toHaveLength(6);
    const bases = asked.map(({ oldObject }) => oldObject?.metadata?.resourceVersion);
    expect(new Set(bases).size).toBe(6);
  });

  it('tells its warning once, however often it was asked', async () => {
    await start(calling);
    await api.create('configmaps', configMap('a'));
    hold();
    answer();
    overtake();
    const request = api.request('UPDATE', 'configmaps', 'a');
    await expect(api.deps.pipeline.write(request, { change: setData('mine') })).rejects.toMatchObject({ code: 409 });
    expect(request.caller.warnings).toEqual(['be careful']);
  });

  it('is asked about what is there, never about what memory had', async () => {
    await start(calling);
    await api.create('configmaps', configMap('a'));
    const { type, description } = api.endpoint('configmaps');
    await api.deps.cache.type(type, description).waitReady();
    const row = api.store.rows(type)[0] ?? expect.unreachable();
    // Another server changes it, and memory has not heard of it.
    api.store.muted = true;
    const body = Buffer.from(row.body.toString().replace('"name":"a"', '"name":"a","labels":{"theirs":"x"}'));
    await api.store.write({ ...row, op: 'update', type, body, terminating: false });
    hold();
    answer();
    await update('a', setData('mine'));
    expect(asked.map(({ oldObject }) => oldObject?.metadata?.labels)).toEqual([{ theirs: 'x' }]);
  });

  it('holds no turn either when an update turns out to be a creation', async () => {
    const ofCreations: AdmissionPlugin = {
      ...calling,
      handles: ({ resource, operation }) => resource === 'leases' && operation === 'CREATE',
    };
    await start(ofCreations);
    hold();
    const put = () =>
      api.deps.pipeline.write(api.request('UPDATE', 'leases', 'a'), {
        change: (current) => current,
        create: () => ({ metadata: { name: 'a' } }),
      });
    const puts = [put()];
    await expect.poll(() => asked.length).toBe(1);
    puts.push(put());
    await expect.poll(() => asked.length).toBe(2);
    answer();
    expect((await Promise.all(puts)).map(({ created }) => created).sort()).toEqual([false, true]);
  });

  it('does not keep updates that it does not judge from sharing turns', async () => {
    await start(calling);
    await api.create('secrets', { metadata: { name: 's' } });
    api.store.calls.get = 0;
    const request = api.request('UPDATE', 'secrets', 's');
    const labelled =
      (label: string): UpdateFunction =>
      (current) => ({
        ...current,
        metadata: { ...current.metadata, labels: { ...current.metadata?.labels, [label]: '' } },
      });
    await Promise.all(
      ['a', 'b', 'c', 'd'].map((label) => api.deps.pipeline.write(request, { change: labelled(label) })),
    );
    expect(Object.keys(api.stored('secrets', 's')?.metadata?.labels ?? {})).toEqual(['a', 'b', 'c', 'd']);
    expect(api.store.calls.get).toBeLessThan(4);
  });
});
