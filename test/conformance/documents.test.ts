import { expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { conformance, conformanceWithoutNames, expectRefusal, expectStatus } from './conformance.js';

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

conformanceWithoutNames('Health endpoints [Health endpoints]', ({ api }) => {
  test.each(['/livez', '/readyz'])('%s names its checks, answers each alone, and 404 for others', async (path) => {
    const verbose = expectStatus(await api.get(`${path}?verbose=true`), 200).text;
    const names = [...verbose.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name]) => name ?? '');
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expectStatus(await api.get(`${path}/${name}`), 200);
    expectStatus(await api.get(`${path}/no-such-check`), 404);
  });

  test('excluding and verbose can be combined, for several checks and for one that is not there', async () => {
    const verbose = expectStatus(await api.get('/readyz?verbose'), 200).text;
    const names = [...verbose.matchAll(/^\[\+\](\S+) ok$/gm)].map(([, name]) => name ?? '');
    const query = names.map((name) => `&exclude=${name}`).join('');
    const text = expectStatus(await api.get(`/readyz?verbose${query}`), 200).text;
    for (const name of names) expect(text).toContain(`[+]${name} excluded: ok`);
    expect(text.trimEnd().split('\n').at(-1)).toBe('readyz check passed');
    expectStatus(await api.get('/readyz?exclude=no-such-check'), 200);
  });

  test('readiness holds a check for the database and one for shutdown', async () => {
    const verbose = expectStatus(await api.get('/readyz?verbose'), 200).text;
    expect(verbose).toContain('[+]postgres ok');
    expect(verbose).toContain('[+]shutdown ok');
  });
});

conformanceWithoutNames('Without credentials [Authentication]', ({ api }) => {
  const anonymous = new Api({ url: api.settings.url, ...(api.settings.ca && { ca: api.settings.ca }) });

  test.each(['/livez', '/readyz', '/healthz', '/version', '/version/'])('%s is seen', async (path) => {
    expectStatus(await anonymous.get(path), 200);
  });

  test.each([
    '/metrics',
    '/api',
    '/apis',
    '/api/v1',
    '/apis/apps',
    '/apis/apps/v1',
    '/openapi/v2',
    '/openapi/v3',
    '/',
    '/nowhere',
  ])('%s is forbidden', async (path) => {
    const status = expectRefusal(await anonymous.get(path), 403, 'Forbidden');
    expect(status.message).toContain('system:anonymous');
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    '%s of an object is forbidden before its body is read',
    async (method) => {
      const path = `/api/v1/namespaces/default/configmaps${method === 'POST' ? '' : '/a'}`;
      expectRefusal(await anonymous.request(method, path, { body: '{' }), 403, 'Forbidden');
    },
  );

  test.each(['Bearer', 'Bearer wrong', 'Bearer ', 'Basic dGVzdGVyOnRlc3Rlcg=='])(
    'credentials that are none (%j) see nothing: 401 for a token, else as anonymous',
    async (authorization) => {
      const answer = await anonymous.get('/api/v1/namespaces', { authorization });
      expect([401, 403]).toContain(answer.status);
      if (authorization === 'Bearer wrong') expectRefusal(answer, 401, 'Unauthorized');
    },
  );
});

conformance('Discovery documents [Groups and paths]', ({ api, names }) => {
  const group = names.group('apidiscovery.orch.io');
  const aggregated = `application/json;g=${group};v=v2beta1;as=APIGroupDiscoveryList`;

  test('the aggregated form says the same as the documents of each version', async () => {
    const { items } = expectStatus(await api.get('/apis', { accept: aggregated }), 200).json();
    for (const { metadata, versions } of items) {
      for (const { version, resources } of versions) {
        const plain = expectStatus(await api.get(`/apis/${metadata.name}/${version}`), 200).json();
        const whole = plain.resources.filter(({ name }: { name: string }) => !name.includes('/'));
        const described = resources.map(
          ({ resource, verbs, scope }: { resource: string; verbs: string[]; scope: string }) => [
            resource,
            [...verbs].sort(),
            scope,
          ],
        );
        expect(described.sort(), `${metadata.name}/${version}`).toEqual(
          whole
            .map(({ name, verbs, namespaced }: { name: string; verbs: string[]; namespaced: boolean }) => [
              name,
              [...verbs].sort(),
              namespaced ? 'Namespaced' : 'Cluster',
            ])
            .sort(),
        );
      }
    }
  });

  test('the content type names the aggregated form; who does not know it gets the plain one', async () => {
    const answer = expectStatus(await api.get('/apis', { accept: `${aggregated},application/json` }), 200);
    expect(answer.headers['content-type']).toBe(`application/json;g=${group};v=v2beta1;as=APIGroupDiscoveryList`);
    const newer = aggregated.replace('v2beta1', 'v9');
    expect(expectStatus(await api.get('/apis', { accept: `${newer},application/json` }), 200).json().kind).toBe(
      'APIGroupList',
    );
  });

  test('alpha versions and versions removed before 1.27 are not served', async () => {
    const { groups } = expectStatus(await api.get('/apis'), 200).json();
    const served: string[] = groups.flatMap(({ versions }: { versions: { groupVersion: string }[] }) =>
      versions.map(({ groupVersion }) => groupVersion),
    );
    expect(served.filter((version) => version.includes('alpha'))).toEqual([]);
    for (const gone of [
      'batch/v1beta1',
      'autoscaling/v2beta2',
      'policy/v1beta1',
      'extensions/v1beta1',
      'apps/v1beta1',
    ]) {
      expect(served).not.toContain(gone);
      expectStatus(await api.get(`/apis/${gone}`), 404);
    }
  });
});

conformance('OpenAPI [Selected feature gates]', ({ api, names }) => {
  test('version 2 comes as JSON, and in the binary encoding for clients that ask', async () => {
    const json = expectStatus(await api.get('/openapi/v2', { accept: 'application/json' }), 200);
    expect(json.headers['content-type']).toMatch(/^application\/json/);
    const document = json.json();
    const prefix = names.profile === 'kubernetes' ? 'io.k8s.' : '';
    expect(
      Object.keys(document.definitions).some((name) => name.startsWith(prefix) && name.endsWith('core.v1.Pod')),
    ).toBe(true);
    const post = document.paths['/api/v1/namespaces/{namespace}/pods'].post;
    expect(post['x-kubernetes-group-version-kind']).toEqual({ group: '', version: 'v1', kind: 'Pod' });
    const binary = expectStatus(await api.get('/openapi/v2', { accept: V2_PROTOBUF }), 200);
    expect(binary.headers['content-type']).toMatch(
      /^application\/com\.github\.proto-openapi\.spec\.v2[.@]v1\.0\+protobuf$/,
    );
    expect(binary.body.subarray(0, 5)).toEqual(Buffer.from('\u000a\u00032.0', 'latin1'));
  });

  test('version 3 has an index of one document a group version, each under a URL that names its content', async () => {
    const { paths } = expectStatus(await api.get('/openapi/v3'), 200).json();
    expect(Object.keys(paths)).toEqual(expect.arrayContaining(['api/v1', 'apis/apps/v1', 'apis/batch/v1']));
    for (const key of ['api/v1', 'apis/apps/v1', `apis/${names.group('rbac.authorization.orch.io')}/v1`]) {
      const url: string = paths[key].serverRelativeURL;
      expect(url).toMatch(new RegExp(`^/openapi/v3/${key}\\?hash=[0-9A-Fa-f]+$`));
      const named = expectStatus(await api.get(url), 200);
      expect(named.headers['cache-control']).toContain('immutable');
      expect(named.headers.etag).toContain(url.split('hash=')[1] ?? '-');
      expect(named.json().openapi).toMatch(/^3\.0/);
      const stale = await api.get(`/openapi/v3/${key}?hash=ABCDEF`);
      expectStatus(stale, 301);
      expect(stale.headers.location).toBe(url);
    }
    expectStatus(await api.get('/openapi/v3/apis/nowhere/v1'), 404);
  });
});
