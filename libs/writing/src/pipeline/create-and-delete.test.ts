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

const CORE = '/api/v1/namespaces/default';
const LEASES = '/apis/coordination.orch.io/v1/namespaces/default/leases';
const JOBS = '/apis/batch/v1/namespaces/default/jobs';

async function send(method: string, path: string, body?: object, type = 'application/json') {
  const answer = await server.ask(path, {
    method,
    ...(body && { headers: { 'Content-Type': type }, body: JSON.stringify(body) }),
  });
  const object = JSON.parse(answer.body.toString()) as { message?: string; reason?: string; metadata?: object };
  return { status: answer.status, object, warning: answer.headers.warning };
}
const named = (name: string, metadata: object = {}) => ({ metadata: { name, ...metadata } });

/** Each as kube-apiserver 1.27.16 answers it. */
describe('a creation', () => {
  it('is told that the object that has its name is on its way out', async () => {
    await send('POST', `${CORE}/configmaps`, named('a', { finalizers: ['example.com/x'] }));
    expect((await send('POST', `${CORE}/configmaps`, named('a'))).object.message).toBe('configmaps "a" already exists');
    await send('DELETE', `${CORE}/configmaps/a`);
    for (const query of ['', '?dryRun=All']) {
      const { status, object } = await send('POST', `${CORE}/configmaps${query}`, named('a'));
      expect([status, object.reason, object.message]).toEqual([
        409,
        'AlreadyExists',
        'object is being deleted: configmaps "a" already exists',
      ]);
    }
  });

  it.each(['0', ''])('by PUT may name the version %j, which is none', async (resourceVersion) => {
    const made = await send('PUT', `${LEASES}/a`, named('a', { resourceVersion }));
    expect(made.status).toBe(201);
    expect(made.object.metadata).not.toMatchObject({ resourceVersion });
    expect((await send('PUT', `${LEASES}/b?dryRun=All`, named('b', { resourceVersion }))).status).toBe(201);
  });

  it('names no version, not even of what is not there any more', async () => {
    expect((await send('POST', LEASES, named('c', { resourceVersion: '5' }))).status).toBe(400);
    expect((await send('PUT', `${LEASES}/c`, named('c', { resourceVersion: '5' }))).status).toBe(400);
  });

  it('may have spaces around quantities', async () => {
    const quota = (pods: string) => ({ ...named('q'), spec: { hard: { pods } } });
    const made = await send('POST', `${CORE}/resourcequotas`, quota('  5 '));
    expect(made.object).toMatchObject({ spec: { hard: { pods: '5' } } });
    for (const pods of ['\t5', '5\n', '5 0', ' ', '\u00a05', ''])
      expect((await send('POST', `${CORE}/resourcequotas?dryRun=All`, quota(pods))).status, pods).toBe(400);
  });
});

describe('data of a ControllerRevision', () => {
  const PATH = '/apis/apps/v1/namespaces/default/controllerrevisions';
  const pretty = async (path: string) => (await server.ask(`${path}?pretty=1`)).body.toString();

  it.each([
    [
      '{"b":"\\u0026 &","10":1,"2":9007199254740993,"a":1.50}',
      '{\n    "b": "\\u0026 \\u0026",\n    "10": 1,\n    "2": 9007199254740993,\n    "a": 1.50\n  }',
    ],
    ['[1, 2 ]', '[\n    1,\n    2\n  ]'],
    ['"a\\u003c&"', '"a\\u003c\\u0026"'],
  ])('%s is indented as it is answered', async (data, shown) => {
    const body = `{"metadata":{"name":"a"},"revision":1,"data":${data}}`;
    const made = await server.ask(PATH, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    expect(made.status).toBe(201);
    expect(await pretty(`${PATH}/a`)).toContain(`"data": ${shown}`);
  });
});

describe('metadata alone', () => {
  const [ONE, ALL] = ['PartialObjectMetadata', 'PartialObjectMetadataList'].map(
    (kind) => `application/json;as=${kind};g=meta.orch.io;v=v1`,
  ) as [string, string];
  const ask = async (method: string, path: string, accept: string, body?: object) => {
    const headers = { Accept: accept, 'Content-Type': 'application/json' };
    const answer = await server.ask(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return [answer.status, (JSON.parse(answer.body.toString()) as { message?: string }).message];
  };
  const notAList = [406, 'you requested PartialObjectMetadataList, but the requested object is not a list (ConfigMap)'];
  const aList = [406, 'you requested PartialObjectMetadata, but the requested object is a list (ConfigMapList)'];

  it('is of one object, or of a list, as what is answered', async () => {
    await send('POST', `${CORE}/configmaps`, named('a'));
    expect(await ask('GET', `${CORE}/configmaps`, ONE)).toEqual(aList);
    expect(await ask('GET', `${CORE}/configmaps`, ALL)).toEqual([200, undefined]);
    expect(await ask('GET', `${CORE}/configmaps/a`, ALL)).toEqual(notAList);
    expect(await ask('GET', `${CORE}/configmaps/a`, ONE)).toEqual([200, undefined]);
    expect(await ask('POST', `${CORE}/configmaps?dryRun=All`, ALL, named('b'))).toEqual(notAList);
    expect(await ask('PUT', `${CORE}/configmaps/a`, ALL, named('a'))).toEqual(notAList);
    expect(await ask('DELETE', `${CORE}/configmaps?dryRun=All`, ONE)).toEqual(aList);
    for (const accept of [ONE, ALL])
      expect(await ask('DELETE', `${CORE}/configmaps/a?dryRun=All`, accept)).toEqual([200, undefined]);
  });
});

describe('dryRun', () => {
  it.each([[['']], [['', 'All']], [['all']]])('%j in the body of a deletion is refused', async (dryRun) => {
    await send('POST', `${CORE}/configmaps`, named('a'));
    const options = { kind: 'DeleteOptions', apiVersion: 'v1' };
    const { status, object } = await send('DELETE', `${CORE}/configmaps/a`, { ...options, dryRun });
    expect([status, object.message]).toEqual([
      422,
      expect.stringContaining(
        `dryRun: Unsupported value: []string{${dryRun.map((one) => JSON.stringify(one)).join(', ')}}`,
      ),
    ]);
    // The specification has a value in the query that says nothing stand for All.
    for (const query of ['?dryRun', '?dryRun='])
      expect((await send('DELETE', `${CORE}/configmaps/a${query}`, options)).status).toBe(200);
    expect((await send('GET', `${CORE}/configmaps/a`)).status).toBe(200);
  });
});

describe('an address of a Service', () => {
  const service = (clusterIP: string, more: object = {}) =>
    send('POST', `${CORE}/services?dryRun=All`, { ...named('s'), spec: { ports: [{ port: 80 }], clusterIP, ...more } });

  it.each(['::ffff:10.96.0.77', '::FFFF:10.96.0.77', '::ffff:0a60:004d'])('may be written as %s', async (clusterIP) => {
    const made = await service(clusterIP);
    expect(made.object).toMatchObject({ spec: { clusterIP, clusterIPs: [clusterIP], ipFamilies: ['IPv4'] } });
    await send('POST', `${CORE}/services`, { ...named('other'), spec: { ports: [{ port: 80 }], clusterIP } });
    for (const same of ['10.96.0.77', '::ffff:10.96.0.77']) {
      const taken = await service(same);
      expect(taken.object.message).toContain(`failed to allocate IP ${same}: provided IP is already allocated`);
    }
    expect((await service(clusterIP, { ipFamilies: ['IPv6'] })).object.message).toContain('expected an IPv6 value');
  });
});

describe('the deletion of a Job', () => {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const WARNING =
    '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"';

  it.each<[string, object | undefined, string | undefined]>([
    ['/j', undefined, WARNING],
    ['/j?dryRun=All', undefined, WARNING],
    ['/j', { kind: 'DeleteOptions', apiVersion: 'v1' }, WARNING],
    ['', undefined, WARNING],
    ['/none', undefined, WARNING],
    ['/j?propagationPolicy=Background', undefined, undefined],
    ['/j?orphanDependents=true', undefined, undefined],
    ['/j', { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Orphan' }, undefined],
  ])('at %j with %j warns: %j', async (path, body, warning) => {
    expect((await send('POST', JOBS, { ...named('j'), spec: { template } })).status).toBe(201);
    expect((await send('DELETE', `${JOBS}${path}`, body)).warning).toBe(warning);
  });

  it('is the only one that does', async () => {
    expect((await send('DELETE', `${CORE}/configmaps/none`)).warning).toBeUndefined();
  });
});
