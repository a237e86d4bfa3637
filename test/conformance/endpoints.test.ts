import { expect, test } from 'vitest';
import { conformance, conformanceWithoutNames, expectRefusal, expectStatus } from './conformance.js';

conformanceWithoutNames('Health [Health endpoints]', ({ api }) => {
  test.each(['/livez', '/readyz', '/healthz'])('%s answers ok, with verbose each check', async (path) => {
    expect(expectStatus(await api.get(path), 200).text).toBe('ok');
    const verbose = expectStatus(await api.get(`${path}?verbose`), 200)
      .text.trimEnd()
      .split('\n');
    expect(verbose.at(-1)).toMatch(/ check passed$/);
    const checks = verbose.slice(0, -1);
    expect(checks.length).toBeGreaterThan(0);
    for (const check of checks) expect(check).toMatch(/^\[\+\]\S+ ok$/);
    const [name] = /(?<=\])\S+/.exec(checks[0] ?? '') ?? [];
    expect(expectStatus(await api.get(`${path}?verbose&exclude=${name}`), 200).text).toContain(
      `[+]${name} excluded: ok`,
    );
    if (path !== '/healthz') expect(expectStatus(await api.get(`${path}/${name}`), 200).text).toBe('ok');
  });

  test('metrics are exposed in text', async () => {
    const answer = expectStatus(await api.get('/metrics'), 200);
    expect(answer.text).toMatch(/^# HELP /m);
    expect(answer.text).toMatch(/^apiserver_request_duration_seconds_bucket\{/m);
  });

  test('the version says 1.27', async () => {
    expect(expectStatus(await api.get('/version'), 200).json()).toMatchObject({ major: '1', minor: '27' });
  });

  test('the version says of what, when, with what and for what the server was built', async () => {
    const version = expectStatus(await api.get('/version'), 200).json();
    expect(version).toMatchObject({
      gitCommit: expect.stringMatching(/^([0-9a-f]{40}|unknown)$/),
      gitTreeState: expect.stringMatching(/^(clean|dirty|archive)$/),
      buildDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      goVersion: expect.stringMatching(/^node\d+\.\d+\.\d+$/),
      compiler: expect.stringMatching(/^v8-\d/),
      platform: expect.stringMatching(/^[a-z]+\/(amd64|arm64|386|[a-z0-9]+)$/),
    });
    expect(version.platform).not.toMatch(/x64/);
    expect(Date.parse(version.buildDate)).toBeLessThanOrEqual(Date.now());
  });
});

conformance('The Service of the API', ({ api, names }) => {
  test('leads to the servers that are alive', async () => {
    const name = names.profile;
    const endpoints = `/api/v1/namespaces/default/endpoints/${name}`;
    await expect.poll(async () => (await api.get(endpoints)).status).toBe(200);
    const { metadata, subsets } = (await api.get(endpoints)).json();
    expect(metadata.labels).toEqual({ [names.key('endpointslice.orch.io/skip-mirror')]: 'true' });
    expect(subsets).toEqual([
      {
        addresses: [{ ip: expect.not.stringMatching(/^127/) }],
        ports: [{ name: 'https', port: expect.any(Number), protocol: 'TCP' }],
      },
    ]);
    const slices = `/apis/${names.group('discovery.orch.io')}/v1/namespaces/default/endpointslices/${name}`;
    expect(expectStatus(await api.get(slices), 200).json()).toMatchObject({
      metadata: { labels: { [names.key('orch.io/service-name')]: name } },
      endpoints: [{ addresses: [subsets[0].addresses[0].ip], conditions: { ready: true } }],
      ports: subsets[0].ports,
    });
  });
});

conformance('Discovery [Groups and paths]', ({ api, names }) => {
  test('groups and their versions', async () => {
    expect(expectStatus(await api.get('/api'), 200).json()).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const { kind, groups } = expectStatus(await api.get('/apis'), 200).json();
    expect(kind).toBe('APIGroupList');
    const byName = new Map<string, { preferredVersion: { version: string } }>(
      groups.map((group: { name: string }) => [group.name, group]),
    );
    expect(byName.get('apps')?.preferredVersion.version).toBe('v1');
    expect(byName.has(names.group('rbac.authorization.orch.io'))).toBe(true);
    for (const name of byName.keys()) {
      expect(expectStatus(await api.get(`/apis/${name}`), 200).json()).toMatchObject({ kind: 'APIGroup', name });
    }
  });

  test('what operates on objects and keeps none, in both forms', async () => {
    const wanted = [
      'bindings Binding create',
      'componentstatuses ComponentStatus get,list',
      'nodes/proxy NodeProxyOptions create,delete,get,patch,update',
      'pods/attach PodAttachOptions create,get',
      'pods/binding Binding create',
      'pods/eviction policy/v1/Eviction create',
      'pods/exec PodExecOptions create,get',
      'pods/log Pod get',
      'pods/portforward PodPortForwardOptions create,get',
      'pods/proxy PodProxyOptions create,delete,get,patch,update',
      'serviceaccounts/token TokenRequest create',
      'services/proxy ServiceProxyOptions create,delete,get,patch,update',
    ].map((line) => line.replace('TokenRequest', `${names.group('authentication.orch.io')}/v1/TokenRequest`));
    interface Entry {
      name: string;
      kind: string;
      group?: string;
      version?: string;
      verbs: string[];
    }
    const { resources } = expectStatus(await api.get('/api/v1'), 200).json<{ resources: Entry[] }>();
    const listed = resources.map(({ name, kind, group, version, verbs }) =>
      [name, group ? `${group}/${version}/${kind}` : kind, verbs.join(',')].join(' '),
    );
    expect(listed).toEqual(expect.arrayContaining(wanted));
    const accept = `application/json;g=${names.group('apidiscovery.orch.io')};v=v2beta1;as=APIGroupDiscoveryList`;
    const aggregated = expectStatus(await api.get('/api', { accept }), 200).text;
    for (const [name = ''] of wanted.map((line) => line.split(' '))) {
      const own = name.split('/').at(-1);
      expect(aggregated).toMatch(new RegExp(`"(?:sub)?resource":"${own}"`));
    }
  });

  test('resources with their verbs, scope and short names', async () => {
    const { kind, groupVersion, resources } = expectStatus(await api.get('/api/v1'), 200).json();
    expect({ kind, groupVersion }).toEqual({ kind: 'APIResourceList', groupVersion: 'v1' });
    const pods = resources.find(({ name }: { name: string }) => name === 'pods');
    expect(pods).toMatchObject({
      kind: 'Pod',
      namespaced: true,
      singularName: 'pod',
      shortNames: ['po'],
      categories: ['all'],
    });
    expect(pods.verbs).toEqual(
      expect.arrayContaining(['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']),
    );
    const status = resources.find(({ name }: { name: string }) => name === 'pods/status');
    expect(status).toMatchObject({ kind: 'Pod', namespaced: true });
    expectRefusal(await api.get('/apis/apps/v9'), 404, 'NotFound');
  });

  test('every resource that discovery lists can be listed and watched as it says', async () => {
    const { groups } = expectStatus(await api.get('/apis'), 200).json();
    // Kinds of other tests come and go, and may be made not to answer.
    const declared = groups.filter(({ name }: { name: string }) => !name.endsWith('.example.com'));
    const versions = declared.flatMap(({ versions: all }: { versions: { groupVersion: string }[] }) =>
      all.map(({ groupVersion }) => `/apis/${groupVersion}`),
    );
    for (const root of ['/api/v1', ...versions]) {
      const { resources } = expectStatus(await api.get(root), 200).json();
      for (const { name, verbs, kind } of resources) {
        if (name.includes('/') || !verbs.includes('list')) continue;
        const list = expectStatus(await api.get(`${root}/${name}?limit=1`), 200).json();
        expect(list.kind, `${root}/${name}`).toBe(`${kind}List`);
      }
    }
  });

  test('aggregated discovery holds everything in one answer', async () => {
    const group = names.group('apidiscovery.orch.io');
    const accept = `application/json;g=${group};v=v2beta1;as=APIGroupDiscoveryList,application/json`;
    const found = expectStatus(await api.get('/apis', { accept }), 200);
    expect(found.json()).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: `${group}/v2beta1` });
    const core = expectStatus(await api.get('/api', { accept }), 200).json();
    const { resources } = core.items[0].versions[0];
    expect(resources.map(({ resource }: { resource: string }) => resource)).toContain('configmaps');
  });

  test('OpenAPI in both versions describes what is served', async () => {
    const v2 = expectStatus(await api.get('/openapi/v2'), 200).json();
    expect(v2.swagger).toBe('2.0');
    expect(v2.paths).toHaveProperty('/api/v1/namespaces/{namespace}/pods');
    const index = expectStatus(await api.get('/openapi/v3'), 200).json();
    const { serverRelativeURL } = index.paths['apis/apps/v1'];
    const apps = expectStatus(await api.get(serverRelativeURL), 200).json();
    expect(apps.openapi).toMatch(/^3\.0/);
    expect(apps.paths).toHaveProperty('/apis/apps/v1/namespaces/{namespace}/deployments/{name}');
  });
});
