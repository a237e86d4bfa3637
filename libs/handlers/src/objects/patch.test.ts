import type { ApiObject } from '@orch/machinery';
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

const PATH = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const DEPTH = 900;

/** Anything, by default what stands in the place of `nested`. */
const FREE = { 'x-kubernetes-preserve-unknown-fields': true, default: 'nested' };
/** A definition with a default of lists within each other. */
const DEEP = {
  metadata: { name: 'deeps.x.io' },
  spec: {
    group: 'x.io',
    scope: 'Cluster',
    names: { plural: 'deeps', kind: 'Deep' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { a: FREE } } },
      },
    ],
  },
};

describe('a JSON patch of what objects leave out and clients with declared types always write', () => {
  const path = '/apis/apps/v1/namespaces/default/deployments/d';
  const patch = async (...operations: object[]) => {
    const headers = { 'Content-Type': 'application/json-patch+json' };
    const answer = await server.ask(path, { method: 'PATCH', headers, body: JSON.stringify(operations) });
    return { status: answer.status, object: JSON.parse(answer.body.toString()) as ApiObject };
  };
  const resources = '/spec/template/spec/containers/0/resources';
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  beforeEach(() =>
    api.create('deployments', { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } }),
  );

  it('sets members of it', async () => {
    const { status, object } = await patch({ op: 'add', path: `${resources}/limits`, value: { cpu: '1' } });
    expect(status).toBe(200);
    expect(object).toMatchObject({
      spec: { template: { spec: { containers: [{ resources: { limits: { cpu: '1' } } }] } } },
    });
  });

  it('writes nothing when it only looks at it, or takes it away', async () => {
    const before = api.stored('deployments', 'd')?.metadata?.resourceVersion;
    const looked = await patch({ op: 'test', path: resources, value: {} }, { op: 'remove', path: resources });
    expect([looked.status, looked.object.metadata?.resourceVersion]).toEqual([200, before]);
    const parent = await patch({ op: 'add', path: `${resources}/limits`, value: null });
    expect([parent.status, parent.object.metadata?.resourceVersion]).toEqual([200, before]);
  });
});

it.each([
  [1, 10, 200],
  [1, DEPTH, 400],
  [10, DEPTH, 400],
])('of %i steps that go %i levels deeper is a %i', async (steps, depth, code) => {
  const json = { 'Content-Type': 'application/json' };
  const body = JSON.stringify(DEEP).replace('"nested"', nested(DEPTH));
  expect((await server.ask(PATH, { method: 'POST', headers: json, body })).status).toBe(201);
  const within = '/spec/versions/0/schema/openAPIV3Schema/properties/a/default';
  const operations = Array.from({ length: steps }, (_, step) => {
    const path = `${within}${'/0'.repeat(DEPTH - 1 + step * depth)}/-`;
    return `{"op":"add","path":"${path}","value":${nested(depth)}}`;
  });
  const headers = { 'Content-Type': 'application/json-patch+json' };
  const patched = await server.ask(`${PATH}/deeps.x.io`, { method: 'PATCH', headers, body: `[${operations}]` });
  expect(patched.status).toBe(code);
  if (code === 400) expect(JSON.parse(patched.body.toString())).toMatchObject({ message: 'exceeded max depth' });
});

/** As the release answers them, where it differs from what one would expect. */
describe('what the release says of', () => {
  const send = async (method: string, path: string, type: string, body: object) => {
    const answer = await server.ask(path, { method, headers: { 'Content-Type': type }, body: JSON.stringify(body) });
    return { status: answer.status, object: JSON.parse(answer.body.toString()) };
  };
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const APPLY = 'application/apply-patch+yaml';

  it.each([
    ['application/merge-patch+json', { data: { a: { b: 'c' } } }],
    ['application/strategic-merge-patch+json', { data: { a: { b: 'c' } } }],
    ['application/json-patch+json', [{ op: 'add', path: '/data', value: { a: { b: 'c' } } }]],
  ])('an object that no %s may make: 422 of no kind, whose cause is the patch', async (type, body) => {
    await api.create('configmaps', { metadata: { name: 'c' }, binaryData: { k: 'c3RvcmVk' } });
    const { status, object } = await send('PATCH', `${configMaps}/c`, type, body);
    expect(status).toBe(422);
    // Neither what is stored nor what was sent: it may be secret.
    expect(JSON.stringify(object)).not.toMatch(/c3RvcmVk|"b"/);
    expect(object).toMatchObject({
      reason: 'Invalid',
      details: { causes: [{ reason: 'FieldValueInvalid', field: 'patch' }] },
    });
    expect(object.message).toMatch(/^ "" is invalid: patch: Invalid value: /);
    expect(api.stored('configmaps', 'c')?.data).toBeUndefined();
  });

  it('an apply that names a version of what is not there: it is made', async () => {
    const said = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c', resourceVersion: '7' },
      data: { a: 'b' },
    };
    const { status, object } = await send('PATCH', `${configMaps}/c?fieldManager=me`, APPLY, said);
    expect(status).toBe(201);
    expect(object.metadata.resourceVersion).not.toBe('7');
    const made = await send('POST', configMaps, 'application/json', { metadata: { name: 'd', resourceVersion: '7' } });
    expect(made.status).toBe(400);
    // A kind that updates may create.
    const lease = { metadata: { name: 'l', namespace: 'default', resourceVersion: '7' } };
    const put = await send(
      'PUT',
      '/apis/coordination.orch.io/v1/namespaces/default/leases/l',
      'application/json',
      lease,
    );
    expect([put.status, api.stored('leases', 'l')]).toEqual([400, undefined]);
  });

  it('who owns the generation of the template of a DaemonSet: who makes it', async () => {
    const labels = { a: 'b' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    await api.create('daemonsets', { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } });
    const { metadata } = api.stored('daemonsets', 'd') ?? {};
    expect(metadata?.annotations).toEqual({ 'deprecated.daemonset.template.generation': '1' });
    expect(metadata?.managedFields?.[0]?.fieldsV1).toMatchObject({
      'f:metadata': { 'f:annotations': { '.': {}, 'f:deprecated.daemonset.template.generation': {} } },
    });
  });
});

const [MERGE, JSON_PATCH, STRATEGIC] = [
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
] as const;

/** As kube-apiserver 1.27.16 answers it. */
describe('a patch that says another type', () => {
  const labels = { a: 'b' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  beforeEach(() =>
    api.create('deployments', { metadata: { name: 'd' }, spec: { selector: { matchLabels: labels }, template } }),
  );
  const path = '/apis/apps/v1/namespaces/default/deployments/d';
  const ask = async (target: string, type: string, change: object) => {
    const operations = Object.entries(change).map(([name, value]) =>
      value === null ? { op: 'remove', path: `/${name}` } : { op: 'replace', path: `/${name}`, value },
    );
    const body = JSON.stringify(type === JSON_PATCH ? operations : change);
    const answer = await server.ask(target, { method: 'PATCH', headers: { 'Content-Type': type }, body });
    return { status: answer.status, text: answer.body.toString() };
  };

  const merged = [MERGE, JSON_PATCH];
  it.each<[object, readonly string[], number]>([
    [{ kind: null }, merged, 200],
    [{ kind: '' }, merged, 200],
    [{ kind: 'Pod' }, merged, 422],
    [{ kind: 5 }, merged, 422],
    [{ apiVersion: null }, merged, 400],
    [{ kind: null, apiVersion: '' }, merged, 400],
    [{ apiVersion: 'v1' }, merged, 422],
    [{ apiVersion: 'a/b/c' }, merged, 422],
    [{ kind: null, apiVersion: null }, [STRATEGIC], 200],
    [{ kind: 'Pod' }, [STRATEGIC], 200],
    [{ apiVersion: 'v1', kind: 'Nope' }, [STRATEGIC], 200],
    [{ apiVersion: 'a/b/c' }, [STRATEGIC], 200],
    [{ kind: 5 }, [STRATEGIC], 422],
    [{ apiVersion: [] }, [STRATEGIC], 422],
  ])('%j in %j: %i', async (change, types, code) => {
    for (const type of types) {
      for (const target of [path, `${path}/scale`]) {
        const { status, text } = await ask(target, type, change);
        expect(status, `${type} ${target}: ${text}`).toBe(code);
        if (code !== 200) continue;
        const wanted = target === path ? ['Deployment', 'apps/v1'] : ['Scale', 'autoscaling/v1'];
        const { kind, apiVersion } = JSON.parse(text) as ApiObject;
        expect([kind, apiVersion]).toEqual(wanted);
      }
    }
    expect(api.stored('deployments', 'd')?.kind ?? 'Deployment').toBe('Deployment');
  });

  const scaler = '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/h';
  const metricOf = (name: string, averageUtilization: number) => ({
    type: 'Resource',
    resource: { name, target: { type: 'Utilization', averageUtilization } },
  });

  // As release 1.27.16 answers them.
  it.each<[object, readonly object[], string[]]>([
    [{ apiVersion: 'autoscaling/v1' }, [metricOf('cpu', 80)], ['spec.metrics', 'spec.behavior']],
    [{ apiVersion: 'autoscaling/v1', kind: '' }, [metricOf('cpu', 80)], ['spec.metrics', 'spec.behavior']],
    [
      { apiVersion: 'autoscaling/v1', spec: { targetCPUUtilizationPercentage: 33 } },
      [metricOf('cpu', 33)],
      ['spec.metrics', 'spec.behavior'],
    ],
    [{ apiVersion: 'autoscaling/v2beta2', spec: { maxReplicas: 7 } }, [metricOf('memory', 50)], []],
  ])('%j in another version of the kind is read in that version', async (change, metrics, unknown) => {
    const scaleTargetRef = { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' };
    const behavior = { scaleDown: { stabilizationWindowSeconds: 5 } };
    const spec = { scaleTargetRef, maxReplicas: 5, metrics: [metricOf('memory', 50)], behavior };
    await api.create('horizontalpodautoscalers', { metadata: { name: 'h' }, spec });
    const answer = await server.ask(scaler, {
      ...{ method: 'PATCH', headers: { 'Content-Type': MERGE } },
      body: JSON.stringify(change),
    });
    const object = JSON.parse(answer.body.toString()) as ApiObject;
    expect([answer.status, object.apiVersion, object.kind]).toEqual([200, 'autoscaling/v2', 'HorizontalPodAutoscaler']);
    expect(object.spec).toMatchObject({ scaleTargetRef, metrics });
    const warned = [...String(answer.headers.warning ?? '').matchAll(/unknown field \\"([^\\]+)\\"/g)];
    expect(warned.map(([, field]) => field).sort()).toEqual([...unknown].sort());
  });

  it.each(['autoscaling/v3', 'extensions/v1beta1', 'apps/v1'])(
    'in a version that the kind never had is none: %s',
    async (version) => {
      const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd' }, maxReplicas: 5 };
      await api.create('horizontalpodautoscalers', { metadata: { name: 'h' }, spec });
      expect((await ask(scaler, MERGE, { apiVersion: version })).status).toBe(422);
    },
  );

  it('in a version that is not declared any more is brought here as it is, if it can be', async () => {
    const before = api.stored('deployments', 'd')?.spec;
    expect((await ask(path, MERGE, { apiVersion: 'extensions/v1beta1' })).status).toBe(200);
    expect(api.stored('deployments', 'd')?.spec).toEqual(before);
    for (const spec of [5, [], 'x', { template: 5 }, { strategy: [], template: 'x' }])
      expect((await ask(path, JSON_PATCH, { apiVersion: 'extensions/v1beta1', spec })).status).toBe(422);
  });

  it('keeps at the root what it names', async () => {
    const all = { $retainKeys: ['metadata', 'spec'], metadata: { labels: { n: 'm' } } };
    expect((await ask(path, STRATEGIC, all)).status).toBe(200);
    expect(api.stored('deployments', 'd')?.metadata?.labels).toEqual({ n: 'm' });
    const nameless = await ask(path, STRATEGIC, { $retainKeys: ['spec'], spec: { replicas: 3 } });
    expect(nameless.status).toBe(400);
    expect(nameless.text).toContain('name must be provided');
  });

  it.each([
    [MERGE, { spec: { replicas: -1, bogus: 1 } }, 'unknown field "spec.bogus"'],
    [STRATEGIC, { spec: { replicas: -1, bogus: 1 } }, 'unknown field "spec.bogus"'],
    [
      JSON_PATCH,
      [{ op: 'replace', path: '/spec/replicas', value: -1, bogus: 1 }],
      'json patch unknown field "[0].bogus"',
    ],
  ])('warns of unknown fields in %s also where it is refused for something else', async (type, body, warning) => {
    const send = (query: string) =>
      server.ask(`${path}${query}`, {
        method: 'PATCH',
        headers: { 'Content-Type': type },
        body: JSON.stringify(body),
      });
    const answer = await send('');
    expect(answer.status).toBe(422);
    expect(answer.headers.warning).toBe(`299 - "${warning.replace(/"/g, '\\"')}"`);
    expect((await send('?fieldValidation=Ignore')).headers.warning).toBeUndefined();
    const strict = await send('?fieldValidation=Strict');
    expect([strict.status, strict.headers.warning]).toEqual([400, undefined]);
  });
});
