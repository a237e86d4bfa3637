import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { helm, helmOk, runHelm } from '../../deploy/helm.js';
import { Api, type ApiList } from '../../support/api.js';
import { type Standalone, startStandalone } from '../../support/standalone.js';

const CHART = fileURLToPath(new URL('./chart', import.meta.url));
const PLACE = '/api/v1/namespaces/shop';
const WEB = '/apis/apps/v1/namespaces/shop/deployments/web';

/** With a chart that has hooks. */
describe('helm 3', () => {
  let server: Standalone;
  let api: Api;

  beforeAll(async () => {
    helm();
    server = await startStandalone();
    api = new Api(server);
  }, 700_000);
  afterAll(async () => {
    api?.close();
    await server?.stop();
  });

  const inShop = (...args: string[]) => helmOk(['--namespace=shop', ...args], server.kubeconfig);
  const settings = async () => (await api.get(`${PLACE}/configmaps/web-settings`)).json().data;
  const named = async (resource: string) =>
    (await api.get(`${PLACE}/${resource}`)).json<ApiList>().items.map(({ metadata }) => metadata.name);

  test('a release from its installation to its end', async () => {
    inShop('install', 'web', CHART, '--create-namespace', '--set=greeting=hello');
    expect(await settings()).toEqual({ greeting: 'hello', revision: '1' });
    expect(await named('configmaps')).toEqual(['web-before-install', 'web-kept', 'web-settings']);
    expect(await named('secrets')).toEqual(['sh.helm.release.v1.web.v1']);
    expect(inShop('list', '--output=json')).toContain('"status":"deployed"');
    expect(inShop('get', 'manifest', 'web')).toContain('kind: Deployment');
    const again = runHelm(['--namespace=shop', 'install', 'web', CHART], server.kubeconfig);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot re-use a name') });

    // A change by somebody else in another field stays.
    const foreign = await api.patch(WEB, 'merge', { metadata: { labels: { foreign: 'yes' } } });
    inShop('upgrade', 'web', CHART, '--set=greeting=hi,replicas=3,service=false');
    expect((await api.get(WEB)).json()).toMatchObject({
      spec: { replicas: 3 },
      metadata: { uid: foreign.json().metadata.uid, labels: { foreign: 'yes' } },
    });
    expect(await settings()).toEqual({ greeting: 'hi', revision: '2' });
    expect(await named('services')).toEqual([]);
    inShop('upgrade', 'web', CHART, '--reuse-values', '--set=greeting=never', '--dry-run=server');
    expect(await settings()).toEqual({ greeting: 'hi', revision: '2' });

    inShop('rollback', 'web', '1');
    expect(await settings()).toEqual({ greeting: 'hello', revision: '1' });
    expect(await named('services')).toEqual(['web']);
    const revisions = JSON.parse(inShop('history', 'web', '--output=json')) as { status: string }[];
    expect(revisions.map(({ status }) => status)).toEqual(['superseded', 'superseded', 'deployed']);
    expect(inShop('test', 'web')).toMatch(/Phase:\s+Succeeded/);

    inShop('uninstall', 'web');
    expect(await named('secrets')).toEqual([]);
    expect(await named('services')).toEqual([]);
    // What hooks made stays, but for hooks that delete it; so does the object with the policy `keep`.
    expect(await named('configmaps')).toEqual(['web-before-install', 'web-kept', 'web-test']);
    expect(runHelm(['--namespace=shop', 'status', 'web'], server.kubeconfig).code).toBe(1);
  }, 120_000);

  test('three-way merges beside others who apply and own', async () => {
    const path = '/apis/apps/v1/namespaces/beside/deployments/web';
    const beside = (...args: string[]) => helmOk(['--namespace=beside', ...args], server.kubeconfig);
    beside('install', 'web', CHART, '--create-namespace');
    const managers = async () =>
      (await api.get(path))
        .json()
        .metadata.managedFields?.map(({ manager }) => manager)
        .sort();
    expect(await managers()).toEqual(['helm']);
    const foreign = (spec: object) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', labels: { foreign: 'yes' } },
      spec,
    });
    const sidecar = { template: { spec: { containers: [{ name: 'side', image: 'side:1' }] } } };
    expect((await api.apply(path, 'injector', foreign(sidecar))).status).toBe(200);
    expect((await api.apply(path, 'scaler', foreign({ replicas: 7 }))).status).toBe(409);
    expect((await api.apply(path, 'scaler', foreign({ replicas: 7 }), '&force=true')).status).toBe(200);
    // What the chart says wins over what is there; what it does not name stays.
    beside('upgrade', 'web', CHART, '--set=greeting=hi');
    const after = (await api.get(path)).json();
    expect(after).toMatchObject({ metadata: { labels: { foreign: 'yes' } }, spec: { replicas: 1 } });
    expect(after.spec.template.spec.containers.map(({ name }: { name: string }) => name).sort()).toEqual([
      'side',
      'web',
    ]);
    expect(await managers()).toEqual(['helm', 'injector', 'scaler']);
    // The injector gives up its container, which the chart never had.
    expect((await api.apply(path, 'injector', foreign({}))).status).toBe(200);
    expect((await api.get(path)).json().spec.template.spec.containers).toHaveLength(1);
    beside('uninstall', 'web');
  }, 120_000);

  test('an invalid object is refused with its field', () => {
    const args = ['--namespace=bad', 'install', 'web', CHART, '--create-namespace', '--set=replicas=-1'];
    const stderr = expect.stringContaining('is invalid: spec.replicas');
    expect(runHelm(args, server.kubeconfig)).toMatchObject({ code: 1, stderr });
  });
});
