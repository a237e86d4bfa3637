import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { EXECUTABLE } from '../../tools/up/index.js';
import { Api, type ApiList, type ApiObject, type StatusObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { configMaps, createAll, expectStatus } from './conformance.js';

const FLOW = 'flowcontrol.apiserver.k8s.io';
const PODS = '/api/v1/namespaces/default/pods';
const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a' },
  spec: { containers: [{ name: 'c', image: 'i:1', resources: { requests: { cpu: '1' } } }] },
};

/** A pod with more in its spec, as it is answered. */
async function makePod(api: Api, spec: object): Promise<ApiObject> {
  return expectStatus(await api.post(PODS, { ...POD, spec: { ...POD.spec, ...spec } }), 201).json<ApiObject>();
}

interface Gated {
  readonly api: Api;
  list(query: string): Promise<ApiList>;
}

/** Declares tests on one server whose gates are set; each has ConfigMaps of its own. */
function withGates(gates: string, further: readonly string[], tests: (gated: () => Promise<Gated>) => void): void {
  describe(`with the gates ${gates || 'of the release'} ${further.join(' ')}`, () => {
    let server: Standalone;
    let api: Api;
    beforeAll(async () => {
      server = await startStandalone({ args: [`--feature-gates=${gates}`, ...further] });
      api = new Api(server);
    });
    afterAll(async () => {
      api?.close();
      await server?.stop();
    });
    tests(async () => {
      expectStatus(await api.delete(configMaps('default')), 200);
      await createAll(api, 'default', ['a', 'b', 'c']);
      const list = async (query: string) =>
        expectStatus(await api.get(`${configMaps('default')}?${query}`), 200).json<ApiList>();
      return { api, list };
    });
  });
}

const PRIVILEGED = {
  ...POD,
  metadata: { name: 'b' },
  spec: { containers: [{ name: 'c', image: 'i:1', securityContext: { privileged: true } }] },
};

withGates('APIListChunking=false', ['--allow-privileged=false'], (gated) => {
  test('limit and continue are as if they were not there', async () => {
    const { api, list } = await gated();
    for (const query of ['limit=1', 'limit=1&resourceVersion=0', 'continue=nonsense&limit=2']) {
      const { items, metadata } = await list(query);
      expect(items).toHaveLength(3);
      expect(Object.keys(metadata)).toEqual(['resourceVersion']);
    }
    expectStatus(await api.delete(`${configMaps('default')}?limit=1`), 200);
    expect((await list('')).items).toHaveLength(0);
  });

  test('privileged containers are refused where --allow-privileged=false says so', async () => {
    const { api } = await gated();
    const refused = await api.post(PODS, PRIVILEGED);
    expect(expectStatus(refused, 422).json<StatusObject>().details?.causes).toEqual([
      {
        reason: 'FieldValueForbidden',
        field: 'spec.containers[0].securityContext.privileged',
        message: 'Forbidden: disallowed by cluster policy',
      },
    ]);
  });
});

const ON = 'InPlacePodVerticalScaling=true,UserNamespacesStatelessPodsSupport=true,DryRun=true';
withGates(`RemainingItemCount=false,AggregatedDiscoveryEndpoint=false,${ON}`, [], (gated) => {
  test('pages do not say how many come behind them', async () => {
    const { list } = await gated();
    const { items, metadata } = await list('limit=1');
    expect(items).toHaveLength(1);
    expect(metadata.continue).toBeTruthy();
    expect(metadata).not.toHaveProperty('remainingItemCount');
  });

  test('discovery is what it was before there was one document of it', async () => {
    const { api } = await gated();
    const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';
    const ask = (Accept: string) => api.request('GET', '/apis', { headers: { Accept } });
    expect(expectStatus(await ask(`${aggregated},application/json`), 200).json().kind).toBe('APIGroupList');
    expectStatus(await ask(aggregated), 406);
  });

  test('fields of features that are off can be turned on, and then mean what they say', async () => {
    const { api } = await gated();
    const pod = await makePod(api, { hostUsers: true });
    expect(pod.spec).toMatchObject({
      hostUsers: true,
      containers: [{ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }],
    });
    const given = {
      containerStatuses: [
        { name: 'c', ready: true, restartCount: 0, image: 'i:1', imageID: '', allocatedResources: { cpu: '1' } },
      ],
    };
    expectStatus(await api.patch(`${PODS}/a/status`, 'merge', { status: given }), 200);
    const resized = await api.patch(`${PODS}/a`, 'strategic-merge', {
      spec: { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] },
    });
    expect(expectStatus(resized, 200).json<ApiObject>().status).toMatchObject({ resize: 'Proposed' });
  });
});

withGates('', [], (gated) => {
  test('the same fields are as if they were not there; privileged containers are taken', async () => {
    const { api } = await gated();
    const pod = await makePod(api, { hostUsers: true });
    expect(pod.spec).not.toHaveProperty('hostUsers');
    expect(pod.spec).not.toHaveProperty('containers.0.resizePolicy');
    expectStatus(await api.post(PODS, PRIVILEGED), 201);
  });
});

test('a removal can be tried: what is turned off is gone, and its objects are read in the version that stays', async () => {
  const [old = '', kept = ''] = ['v1beta2', 'v1beta3'].map(
    (version) => `/apis/${FLOW}/${version}/prioritylevelconfigurations`,
  );
  const spec = { type: 'Limited', limited: { assuredConcurrencyShares: 7, limitResponse: { type: 'Reject' } } };
  const server = await startStandalone();
  const api = new Api(server);
  onTestFinished(() => server.stop());
  const object = { apiVersion: `${FLOW}/v1beta2`, kind: 'PriorityLevelConfiguration', metadata: { name: 'p' }, spec };
  const created = expectStatus(await api.post(old, object), 201);
  expect(created.warnings.join()).toContain('unavailable in v1.29+');
  api.close();
  await server.process.stop();
  vi.stubEnv('ORCH_RUNTIME_CONFIG', `${FLOW}/v1beta2=false`);
  await server.process.start();
  vi.unstubAllEnvs();
  const again = new Api(server);
  expectStatus(await again.get(`${old}/p`), 404);
  expectStatus(await again.get(`/apis/${FLOW}/v1beta2`), 404);
  const group = expectStatus(await again.get(`/apis/${FLOW}`), 200).json<{ versions: { version: string }[] }>();
  expect(group.versions.map(({ version }) => version)).toEqual(['v1beta3']);
  const read = expectStatus(await again.get(`${kept}/p`), 200).json<ApiObject>();
  expect(read.spec.limited.nominalConcurrencyShares).toBe(7);
  again.close();
});

test('namespaces can be all that is served', async () => {
  const server = await startStandalone({ args: ['--runtime-config=api/all=false,v1/namespaces=true'] });
  const api = new Api(server);
  onTestFinished(async () => {
    api.close();
    await server.stop();
  });
  const { resources } = expectStatus(await api.get('/api/v1'), 200).json<{ resources: { name: string }[] }>();
  expect(resources.map(({ name }) => name)).toEqual(['namespaces', 'namespaces/finalize', 'namespaces/status']);
  expect(expectStatus(await api.get('/apis'), 200).json<{ groups: unknown[] }>().groups).toEqual([]);
  const namespaces = expectStatus(await api.get('/api/v1/namespaces'), 200).json<ApiList>().items;
  expect(namespaces.map(({ metadata }: ApiObject) => metadata.name)).toContain('kube-system');
});

test.each([
  ['feature-gates', 'Nope=true', 'unrecognized feature gate: Nope'],
  [
    'feature-gates',
    'WatchList=perhaps',
    'invalid value of WatchList=perhaps, err: strconv.ParseBool: parsing "perhaps": invalid syntax',
  ],
  ['feature-gates', 'OpenAPIV3=false', 'cannot set feature gate OpenAPIV3 to false, feature is locked to true'],
  ['runtime-config', 'a.test/v1,b.test/v1', 'unknown api groups a.test,b.test'],
  ['runtime-config', 'batch/v9=true', 'group version batch/v9 that has not been registered'],
  ['runtime-config', 'api/all=false', 'invalid key with only api/all=false'],
  ...['v1=false', 'v1/namespaces=false', 'api/all=false,batch/v1=true'].map((value) => [
    'runtime-config',
    value,
    'v1/namespaces must be served: what lies in a namespace cannot be written without',
  ]),
  ['storage-versions', 'autoscaling/v9', 'nothing is known as autoscaling/v9'],
  ['storage-versions', 'authorization.orch.io/v1', 'nothing is stored as authorization.orch.io/v1'],
  // They are stored with those of the core group.
  ['storage-versions', 'events.orch.io/v1', 'nothing is stored as events.orch.io/v1'],
])('--%s=%s is refused in a line, with exit code 1', async (option, value, why) => {
  const refused = [['standalone'], ['api-server', '--postgres-url=postgres://nowhere']].map(async (service) => {
    const run = promisify(execFile)(process.execPath, [EXECUTABLE, ...service, `--${option}=${value}`]);
    await expect(run).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: `Error: --${option}: ${why}\n`,
    });
  });
  await Promise.all(refused);
});
