import { expect, test } from 'vitest';
import { rawExchange } from '../support/raw-exchange.js';
import { conformance, expectRefusal, expectStatus } from './conformance.js';

/** Mistakes of clients, with the answers of release 1.27.16 except for the differences in docs/compatibility.md. */
conformance('Requests at the edge [Path shapes, Query parameters]', ({ api, names, namespace }) => {
  const meta = names.metaGroup;
  const json = { 'content-type': 'application/json' };
  const merge = { 'content-type': 'application/merge-patch+json' };
  const configMaps = (at: string) => `/api/v1/namespaces/${at}/configmaps`;
  const configMap = (name: string) => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

  /** A namespace with one config map, `a`. */
  async function withConfigMap(): Promise<string> {
    const at = configMaps(await namespace());
    expectStatus(await api.request('POST', at, { headers: json, body: configMap('a') }), 201);
    return at;
  }

  test('an empty namespace is all of them to who reads a collection, and none to everybody else', async () => {
    const at = await withConfigMap();
    const own = at.split('/')[4];
    for (const path of [configMaps(''), `${configMaps('')}?fieldSelector=metadata.namespace=${own}`]) {
      const { items } = expectStatus(await api.get(path), 200).json();
      const found = items.map(({ metadata }: { metadata: { name: string; namespace: string } }) => metadata);
      expect(found).toContainEqual(expect.objectContaining({ name: 'a', namespace: own }));
    }
    for (const path of [
      `${configMaps('')}?watch=1&timeoutSeconds=1`,
      '/api/v1/watch/namespaces//configmaps?timeoutSeconds=1',
    ])
      expect(expectStatus(await api.get(path), 200).text).toContain(`"namespace":"${own}"`);
    for (const [method, headers, body] of [
      ['GET', {}, undefined],
      ['PUT', json, configMap('a')],
      ['PATCH', merge, '{}'],
      ['DELETE', {}, undefined],
    ] as const) {
      const refused = await api.request(method, `${configMaps('')}/a`, { headers, ...(body && { body }) });
      expect(expectRefusal(refused, 400, 'BadRequest').message).toBe('Namespace parameter required.');
    }
    for (const method of ['POST', 'DELETE'])
      expectStatus(await api.request(method, configMaps(''), { headers: json, body: configMap('b') }), 405);
    expectStatus(await api.get(`${at}/a`), 200);
  });

  test.each([
    '/api/v1//namespaces',
    '//api/v1/namespaces',
    '/api//v1/pods',
    '/api/v1/namespaces/default//pods',
    '/api/v1/pods//p',
    '/apis//apps/v1',
    '/apis/apps//v1',
    '/apis/apps/v1//deployments',
    '/api/v1/namespaces//nodes',
    '/api/v1/configmaps/a',
  ])('%s is nothing', async (path) => {
    expectStatus(await api.get(path), 404);
  });

  test.each([
    ['/..', `"..": may not be '..'`],
    ['/.', `".": may not be '.'`],
    ['/%2e%2E', `"..": may not be '..'`],
    ['/a%25', `"a%": may not contain '%'`],
  ])('no object has a name that paths cannot hold: %s', async (path, why) => {
    const at = configMaps(await namespace());
    for (const [method, headers, body] of [
      ['GET', {}, ''],
      ['PUT', json, configMap('..')],
      ['PATCH', merge, '{}'],
      ['DELETE', {}, ''],
    ] as const) {
      const refused = await api.request(method, `${at}${path}`, { headers, ...(body && { body }) });
      expect(expectRefusal(refused, 400, 'BadRequest').message).toBe(`Name parameter invalid: ${why}`);
    }
  });

  test.each(['HEAD', 'OPTIONS', 'TRACE', 'POST', 'PUT', 'DELETE', 'PATCH'])('%s on documents', async (method) => {
    for (const path of ['/apis', '/apis/apps', '/openapi/v2', '/openapi/v3', '/metrics', '/readyz', '/'])
      expectStatus(await api.request(method, path), 200);
    for (const path of ['/api', '/api/v1', '/apis/apps/v1', '/version'])
      expectStatus(await api.request(method, path), 405);
    expectStatus(await api.request(method, '/nowhere'), 404);
  });

  test.each([
    ['as=PartialObjectMetadata', 406, 200],
    ['as=PartialObjectMetadataList', 200, 406],
    ['as=Table', 200, 200],
    ['as=Status', 406, 406],
    ['as=Foo', 406, 406],
  ])('%s of a list is %i, and of an object %i', async (as, ofList, ofObject) => {
    const at = await withConfigMap();
    for (const version of ['v1', 'v1beta1']) {
      const headers = { accept: `application/json;${as};g=${meta};v=${version}` };
      expectStatus(await api.get(at, headers), ofList);
      expectStatus(await api.get(`${at}/a`, headers), ofObject);
    }
    for (const type of [`${as};g=${meta};v=v2`, `${as};g=x;v=v1`, as, `${as};v=v1`]) {
      expectStatus(await api.get(at, { accept: `application/json;${type}` }), 406);
      expectStatus(await api.get(at, { accept: `application/json;${type},application/json` }), 200);
    }
  });

  test.each([
    ['limit=-1', 200],
    ['limit=', 400],
    ['limit=x', 400],
    ['limit=1&limit=x', 200],
    ['limit=x&limit=1', 400],
    ['limit=1.5', 400],
    ['limit=0x1', 400],
    ['limit=9223372036854775807', 200],
    ['limit=9223372036854775808', 400],
    ['timeoutSeconds=', 400],
    ['timeoutSeconds=1.5', 400],
    ['timeoutSeconds=0', 200],
    ['continue=', 200],
    ['continue=x', 400],
    ['watch=false&watch=1', 200],
    ['allowWatchBookmarks=x', 200],
    ['foo=bar&&foo', 200],
    ['labelSelector=a&labelSelector=%2C', 200],
    ['fieldSelector=x%3Dy', 400],
    ['resourceVersionMatch=Exact', 422],
    ['resourceVersionMatch=Exact&resourceVersion=0', 422],
    ['sendInitialEvents=true', 422],
  ])('a list with %s is %i', async (query, code) => {
    expectStatus(await api.get(`${configMaps(await namespace())}?${query}`), code);
  });

  test('values of dryRun but for All are none', async () => {
    const at = configMaps(await namespace());
    for (const query of ['dryRun=all', 'dryRun=None', 'dryRun=true', 'dryRun=All&dryRun=x']) {
      expectStatus(await api.request('POST', `${at}?${query}`, { headers: json, body: configMap('b') }), 422);
      expectStatus(await api.request('DELETE', `${at}/b?${query}`), 422);
    }
    for (const dryRun of ['[""]', '["x"]', '["All",""]']) {
      const body = `{"kind":"DeleteOptions","apiVersion":"v1","dryRun":${dryRun}}`;
      expectStatus(await api.request('DELETE', `${at}/b`, { headers: json, body }), 422);
    }
    expectStatus(
      await api.request('POST', `${at}?dryRun=All&dryRun=All`, { headers: json, body: configMap('b') }),
      201,
    );
    expectStatus(await api.get(`${at}/b`), 404);
  });

  test('what is said of the encoding of a body is passed over', async () => {
    const at = configMaps(await namespace());
    for (const encoding of ['gzip', 'foo']) {
      const headers = { ...json, 'content-encoding': encoding };
      expectStatus(await api.request('POST', at, { headers, body: configMap(encoding) }), 201);
    }
  });

  test.each([
    ['two hosts', 'GET PATH HTTP/1.1\r\nHost: a\r\nHost: b', 400],
    ['a host that is none', 'GET PATH HTTP/1.1\r\nHost: a/b c', 400],
    ['no host', 'GET PATH HTTP/1.1', 400],
    ['no host, in 1.0', 'GET PATH HTTP/1.0', 200],
    ['a host without a name', 'GET PATH HTTP/1.1\r\nHost:', 200],
    ['the whole URL', 'GET https://other PATH HTTP/1.1\r\nHost: a', 200],
    ['the whole URL, unprotected', 'GET http://other PATH HTTP/1.1\r\nHost: a', 200],
  ])('%s', async (_name, head, code) => {
    const lines = head.replace(' PATH', `${head.includes('://') ? '' : ' '}${configMaps(await namespace())}`);
    const { token } = api.settings;
    const text = await rawExchange(
      api.settings,
      `${lines}\r\n${token ? `Authorization: Bearer ${token}\r\n` : ''}Connection: close\r\n\r\n`,
    );
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
  });
});
