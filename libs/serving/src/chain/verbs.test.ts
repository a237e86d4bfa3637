import { type Ask, listenerOf, openServer, type TestApi, type TestServer, testApi } from '@orch/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let api: TestApi;
let server: TestServer;
beforeEach(async () => {
  api = await testApi({ maxBodyBytes: 1 << 20 });
  server = await openServer(listenerOf(api));
});
afterEach(async () => {
  await server.close();
  api.close();
  expect({}).not.toHaveProperty('polluted');
});

const maps = '/api/v1/namespaces/default/configmaps';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const map = (name: string, more: object = {}) => JSON.stringify({ metadata: { name }, data: { a: '1' }, ...more });

interface Answered {
  readonly status: number;
  readonly warning: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely
  readonly object: any;
}

async function ask(method: string, path: string, body?: string | Buffer, type = 'application/json'): Promise<Answered> {
  const options: Ask = { method, headers: { 'Content-Type': type }, ...(body !== undefined && { body }) };
  const { status, headers, body: bytes } = await server.ask(path, options);
  const warning = headers.warning as string | undefined;
  return {
    status,
    warning,
    object: headers['content-type'] === 'application/json' ? JSON.parse(bytes.toString()) : {},
  };
}

const deployment = JSON.stringify({
  metadata: { name: 'd' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'd' } },
    template: { metadata: { labels: { app: 'd' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

describe('field validation (spec: "Field validation")', () => {
  const unknown = map('a', { extra: 1, more: { deep: true } });
  it.each([
    ['', 201, 2],
    ['?fieldValidation=Warn', 201, 2],
    ['?fieldValidation=Ignore', 201, 0],
    ['?fieldValidation=Strict', 400, 0],
    ['?fieldValidation=Perhaps', 422, 0],
  ])('%s', async (query, code, warnings) => {
    const { status, warning, object } = await ask('POST', maps + query, unknown);
    expect(status).toBe(code);
    expect(warning?.match(/299 - /g)?.length ?? 0).toBe(warnings);
    if (code === 201) expect(object).not.toHaveProperty('extra');
    if (code === 400) expect(object.message).toMatch(/strict decoding error: .*"extra".*, .*"more"/);
  });

  it('says what stood more than once', async () => {
    const { warning } = await ask('POST', maps, '{"metadata":{"name":"a"},"data":{"a":"1"},"data":{"b":"2"}}');
    expect(warning).toContain('data');
  });

  it('stays within bounds however many fields are unknown', async () => {
    const more = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`unknown${i}`, 1]));
    const { status, warning } = await ask('POST', maps, map('a', more));
    expect(status).toBe(201);
    expect(warning?.length).toBeLessThan(8192);
  });
});

describe('bodies that are hostile are refused, and nothing comes of them', () => {
  const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
  it.each([
    ['nothing', ''],
    ['half an object', '{"metadata":'],
    ['an array', '[]'],
    ['null', 'null'],
    ['a string', '"x"'],
    ['metadata that is none', '{"metadata":5}'],
    ['labels that are none', '{"metadata":{"name":"a","labels":{"x":{}}}}'],
    ['another kind', '{"kind":"Secret","metadata":{"name":"a"}}'],
    ['another version', '{"apiVersion":"v2","kind":"ConfigMap","metadata":{"name":"a"}}'],
    ['arrays without end', deep('[', ']', 100_000)],
    ['objects without end', `{"metadata":{"name":"a"},"data":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}}`],
  ])('%s', async (_what, body) => {
    const { status, object } = await ask('POST', maps, body);
    expect([status, object.reason]).toEqual([400, 'BadRequest']);
    expect(api.stored('configmaps', 'a')).toBeUndefined();
  });

  it.each([
    [
      'YAML that doubles itself',
      'application/yaml',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghij'
        .split('')
        .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[i]}`).join(',')}]`)
        .join('\n')}`,
    ],
    ['YAML without end', 'application/yaml', `data: ${'['.repeat(20_000)}`],
    ['protobuf that is none', 'protobuf', 'k8s'],
    ['protobuf that promises more than it holds', 'protobuf', Buffer.from('6b3873000a7f', 'hex')],
    ['protobuf without end', 'protobuf', Buffer.concat([Buffer.from('6b387300', 'hex'), Buffer.alloc(100_000, 0x0b)])],
  ])('%s', async (_what, type, body) => {
    const media = type === 'protobuf' ? api.deps.names.protobufMediaType : type;
    const began = performance.now();
    expect((await ask('POST', maps, body, media)).status).toBe(400);
    // The thread for YAML has to start, from its sources.
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  it.each(['text/plain', 'application/xml', ';', 'application/json; =', 'a/b/c'])('of type %s', async (type) => {
    expect((await ask('POST', maps, map('a'), type)).status).toBe(415);
  });

  it('above the limit', async () => {
    expect((await ask('POST', maps, Buffer.alloc(2 << 20, ' '))).status).toBe(413);
  });

  it.each([
    '{"metadata":{"name":"a","labels":{"__proto__":"x"}}}',
    '{"metadata":{"name":"a","annotations":{"__proto__":{"polluted":"x"}}}}',
    '{"__proto__":{"polluted":1},"metadata":{"name":"a"}}',
    '{"metadata":{"name":"a","__proto__":{"polluted":1}},"constructor":{"prototype":{"polluted":1}}}',
    '{"metadata":{"name":"a"},"data":{"__proto__":"polluted"}}',
  ])('%s', async (body) => {
    expect((await ask('POST', maps, body)).status).toBeLessThan(500);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });
});

describe('patches (spec: "Patch content types")', () => {
  const merge = 'application/merge-patch+json';
  const json = 'application/json-patch+json';
  const strategic = 'application/strategic-merge-patch+json';
  beforeEach(async () => {
    await ask('POST', maps, map('a'));
  });

  it.each([
    [merge, '{"data":{"b":"2"}}'],
    [json, '[{"op":"add","path":"/data/b","value":"2"}]'],
    [strategic, '{"data":{"b":"2"}}'],
  ])('%s', async (type, body) => {
    const { status, object } = await ask('PATCH', `${maps}/a`, body, type);
    expect([status, object.data]).toEqual([200, { a: '1', b: '2' }]);
  });

  it.each([
    ['another kind', merge, '{"kind":"Secret"}', 422],
    ['another name', merge, '{"metadata":{"name":"b"}}', 400],
    ['another uid', merge, '{"metadata":{"uid":"b"}}', 422],
    ['no name', json, '[{"op":"remove","path":"/metadata/name"}]', 400],
    ['a stale version', merge, '{"metadata":{"resourceVersion":"1"}}', 409],
    ['metadata that is none', json, '[{"op":"replace","path":"/metadata","value":"x"}]', 422],
    ['a value of another type', merge, '{"data":[1]}', 422],
    ['no object', merge, '[]', 400],
    ['no list', json, '{}', 400],
    ['an unknown operation', json, '[{"op":"explode","path":"/data"}]', 422],
    ['a path to nowhere', json, '[{"op":"remove","path":"/data/nosuch"}]', 422],
    ['a test that fails', json, '[{"op":"test","path":"/data/a","value":"2"}]', 422],
    ['the whole object by a string', json, '[{"op":"replace","path":"","value":"x"}]', 422],
    ['nothing at all', merge, '', 400],
    ['no patch', 'application/json', '{}', 415],
    ['a bad directive', strategic, '{"data":{"$patch":"explode"}}', 400],
  ])('of %s', async (_what, type, body, code) => {
    const { status } = await ask('PATCH', `${maps}/a`, body, type);
    expect(status).toBe(code);
    expect(api.stored('configmaps', 'a')?.data).toEqual({ a: '1' });
  });

  it.each([
    [merge, '{"__proto__":{"polluted":1}}'],
    [merge, '{"data":{"__proto__":{"polluted":"1"}}}'],
    [strategic, '{"__proto__":{"polluted":1}}'],
    [strategic, '{"metadata":{"labels":{"__proto__":{"polluted":"1"}}}}'],
    [json, '[{"op":"add","path":"/__proto__/polluted","value":1}]'],
    [json, '[{"op":"add","path":"/data/__proto__/polluted","value":"1"}]'],
    [json, '[{"op":"add","path":"/constructor/prototype/polluted","value":1}]'],
    [json, '[{"op":"copy","from":"/__proto__","path":"/data"}]'],
  ])('%s %s pollute nothing', async (type, body) => {
    expect((await ask('PATCH', `${maps}/a`, body, type)).status).toBeLessThan(500);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it('that would grow without end are refused', async () => {
    const doubling = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/x${i}` }));
    const { status } = await ask('PATCH', `${maps}/a`, JSON.stringify(doubling), json);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
  });

  it('of what is not there are 404', async () => {
    expect((await ask('PATCH', `${maps}/nosuch`, '{}', merge)).status).toBe(404);
  });
});

describe('scale', () => {
  beforeEach(async () => {
    expect((await ask('POST', deployments, deployment)).status).toBe(201);
  });
  const scale = `${deployments}/d/scale`;
  const merge = 'application/merge-patch+json';

  it('shows and sets the number of replicas', async () => {
    expect((await ask('GET', scale)).object).toMatchObject({ kind: 'Scale', spec: { replicas: 1 } });
    const { status, object } = await ask('PATCH', scale, '{"spec":{"replicas":4}}', merge);
    expect([status, object.spec.replicas]).toEqual([200, 4]);
    expect(api.stored('deployments', 'd')?.spec).toMatchObject({ replicas: 4 });
    expect((await ask('PUT', scale, '{"metadata":{"name":"d"},"spec":{"replicas":2}}')).status).toBe(200);
    expect(api.stored('deployments', 'd')?.spec).toMatchObject({ replicas: 2 });
  });

  it.each([
    ['PATCH', '{"spec":{"replicas":-1}}', 422],
    ['PATCH', '{"spec":{"replicas":9007199254740993}}', 400],
    ['PATCH', '{"spec":{"replicas":1.5}}', 400],
    ['PATCH', '{"spec":{"replicas":2147483648}}', 400],
    ['PATCH', '{"spec":"x"}', 400],
    ['PATCH', '{"metadata":{"resourceVersion":"1"},"spec":{"replicas":2}}', 409],
    ['PATCH', '{"metadata":{"resourceVersion":{"a":1}}}', 400],
    ['PUT', '{"metadata":{"name":"other"},"spec":{"replicas":2}}', 400],
    ['PUT', '{"metadata":{"name":"d","uid":"other"},"spec":{"replicas":2}}', 409],
    ['PUT', '{"spec":null,"metadata":{"name":"d"}}', 200],
    ['PUT', '{"spec":null,"metadata":null}', 400],
  ])('%s %s is %i', async (method, body, code) => {
    const { status } = await ask(method, scale, body, method === 'PATCH' ? merge : 'application/json');
    expect(status).toBe(code);
  });
});

describe('PUT that creates', () => {
  const leases = '/apis/coordination.orch.io/v1/namespaces/default/leases';
  it('makes what is not there', async () => {
    expect((await ask('PUT', `${leases}/l`, '{"metadata":{"name":"l"},"spec":{}}')).status).toBe(201);
    expect(api.stored('leases', 'l')).toBeDefined();
  });

  it.each([
    ['another name', '{"metadata":{"name":"other"}}', 400],
    ['no name', '{"spec":{}}', 400],
    ['another namespace', '{"metadata":{"name":"l","namespace":"other"}}', 400],
    ['a uid that is gone', '{"metadata":{"name":"l","uid":"gone"}}', 409],
  ])('refuses %s', async (_what, body, code) => {
    expect((await ask('PUT', `${leases}/l`, body)).status).toBe(code);
    expect(api.stored('leases', 'l')).toBeUndefined();
  });

  it('does not for kinds that are made by POST alone', async () => {
    expect((await ask('PUT', `${maps}/a`, map('a'))).status).toBe(404);
  });
});

describe('DELETE', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b', 'c']) await ask('POST', maps, map(name, { metadata: { name, labels: { name } } }));
  });

  it('answers a Status when the object is gone, else the object', async () => {
    const { status, object } = await ask('DELETE', `${maps}/a`);
    expect([status, object.kind, object.status, object.details.name]).toEqual([200, 'Status', 'Success', 'a']);
    await ask('POST', maps, JSON.stringify({ metadata: { name: 'f', finalizers: ['example.com/x'] } }));
    expect((await ask('DELETE', `${maps}/f`)).object).toMatchObject({ kind: 'ConfigMap', metadata: { name: 'f' } });
  });

  it('answers the object also when it is gone, for kinds of which typed clients expect that', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await ask('POST', pods, JSON.stringify({ metadata: { name: 'p' }, spec }));
    const { status, object } = await ask('DELETE', `${pods}/p`);
    expect(status).toBe(200);
    expect(object).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'p' } });
    expect(object.spec.containers[0].name).toBe('c');
    expect(api.stored('pods', 'p')).toBeUndefined();
  });

  it.each([
    ['gracePeriodSeconds=x', '', 400],
    ['gracePeriodSeconds=1.5', '', 400],
    ['propagationPolicy=Perhaps', '', 422],
    ['propagationPolicy=Orphan&orphanDependents=true', '', 422],
    ['dryRun=Some', '', 422],
    ['', '{"dryRun":["Some"]}', 422],
    ['', '{"dryRun":"All"}', 400],
    ['', '{"gracePeriodSeconds":"x"}', 400],
    ['', '{"preconditions":{"uid":"other"}}', 409],
    ['', '{"preconditions":{"resourceVersion":"1"}}', 409],
    ['', '{"kind":"ConfigMap"}', 400],
    ['', '[]', 400],
    ['gracePeriodSeconds=999999999999999', '', 200],
    ['', '{"gracePeriodSeconds":9223372036854775807}', 200],
    ['', '{"gracePeriodSeconds":-9223372036854775808}', 200],
    ['', '{"apiVersion":"apps/v1","kind":"DeleteOptions"}', 200],
    ['dryRun=All', '', 200],
  ])('%s %s is %i', async (query, body, code) => {
    expect((await ask('DELETE', `${maps}/a?${query}`, body)).status).toBe(code);
    expect(api.stored('configmaps', 'a') === undefined).toBe(code === 200 && query !== 'dryRun=All');
  });

  it.each(['gracePeriodSeconds=999999999999999', 'gracePeriodSeconds=-5'])('of a pod with %s', async (query) => {
    const pod = { metadata: { name: 'p' }, spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] } };
    await api.create('pods', pod);
    const { status, object } = await ask('DELETE', `/api/v1/namespaces/default/pods/p?${query}`);
    expect(status).toBe(200);
    expect(object.metadata.deletionTimestamp).toMatch(/^\d{4}-/);
  });

  it('of a collection removes what the selectors name, and answers it', async () => {
    const { status, object } = await ask('DELETE', `${maps}?labelSelector=name+in+(a,c)`);
    expect([status, object.kind]).toEqual([200, 'ConfigMapList']);
    expect(object.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['a', 'c']);
    expect(api.store.rows(api.endpoint('configmaps').type).map(({ name }) => name)).toEqual(['b']);
  });

  it('of a collection can be tried', async () => {
    expect((await ask('DELETE', `${maps}?dryRun=All`)).object.items).toHaveLength(3);
    expect(api.store.rows(api.endpoint('configmaps').type)).toHaveLength(3);
  });
});

describe('GET', () => {
  beforeEach(async () => {
    await ask('POST', maps, map('a'));
  });

  it.each([
    ['/a', '', 200],
    ['/nosuch', '', 404],
    ['/a', 'resourceVersion=x', 400],
    ['', 'limit=x', 400],
    ['', 'continue=rubbish', 400],
    ['', 'resourceVersionMatch=Exact', 422],
    ['', 'labelSelector=%3D', 400],
    ['', 'fieldSelector=spec.x%3Dy', 400],
    ['', 'watch=1&resourceVersion=x', 400],
    ['', 'watch=1&timeoutSeconds=x', 400],
  ])('%s?%s is %i', async (path, query, code) => {
    const { status, object } = await ask('GET', `${maps}${path}?${query}`);
    expect(status).toBe(code);
    if (code !== 200) expect(object).toMatchObject({ kind: 'Status', code });
  });

  it.each(['text/html', 'application/json;q=0', 'rubbish'])('Accept: %s is a 406', async (accept) => {
    for (const path of [maps, `${maps}/a`, `${maps}?watch=1`]) {
      expect((await server.ask(path, { headers: { Accept: accept } })).status).toBe(406);
    }
  });

  it('shows people what they can read', async () => {
    const { body } = await server.ask(`${maps}/a`, { headers: { 'User-Agent': 'curl/8' } });
    expect(body.toString()).toMatch(/^{\n {2}"kind": "ConfigMap",/);
    expect((await server.ask(`${maps}?pretty=true`)).body.toString()).toContain('\n  "items": [');
    expect((await server.ask(`${maps}/a`)).body.toString()).not.toContain('\n');
  });

  it('is there no more when the database is not', async () => {
    api.store.down = true;
    const { status, headers } = await server.ask(`${maps}/a`);
    expect([status, headers['retry-after']]).toEqual([503, '1']);
  });
});
