import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { helm4, helmOk, runHelm } from '../../deploy/helm.js';
import { Api } from '../../support/api.js';
import { type Standalone, startStandalone } from '../../support/standalone.js';

const CHART = fileURLToPath(new URL('./chart', import.meta.url));
const WEB = '/apis/apps/v1/namespaces/shop/deployments/web';

/** Compiled for minutes at first. */
const SETUP_MS = 1_500_000;

describe('helm 4, which applies on the server', () => {
  let server: Standalone;
  let api: Api;
  let program: string;

  beforeAll(async () => {
    program = helm4();
    server = await startStandalone();
    api = new Api(server);
  }, SETUP_MS);
  afterAll(async () => {
    api?.close();
    await server?.stop();
  });

  const inShop = (...args: string[]) => helmOk(['--namespace=shop', ...args], server.kubeconfig, program);
  const upgrade = (...args: string[]) =>
    runHelm(['--namespace=shop', 'upgrade', 'web', CHART, ...args], server.kubeconfig, program);
  const owners = async () =>
    (await api.get(WEB))
      .json()
      .metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)
      .sort();

  test('a release from its installation to its end', async () => {
    inShop('install', 'web', CHART, '--create-namespace', '--set=replicas=2');
    expect(await owners()).toEqual(['helm Apply']);
    const foreign = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 7 } };
    expect((await api.apply(WEB, 'scaler', foreign, '&force=true')).status).toBe(200);
    expect(upgrade('--set=replicas=2')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('conflict with "scaler": .spec.replicas'),
    });
    expect((await api.get(WEB)).json().spec.replicas).toBe(7);
    expect(upgrade('--set=replicas=2', '--force-conflicts')).toMatchObject({ code: 0 });
    expect((await api.get(WEB)).json().spec.replicas).toBe(2);
    expect(upgrade('--set=replicas=2,service=false')).toMatchObject({ code: 0 });
    expect((await api.get('/api/v1/namespaces/shop/services/web')).status).toBe(404);
    inShop('rollback', 'web', '1');
    expect((await api.get('/api/v1/namespaces/shop/services/web')).status).toBe(200);
    inShop('uninstall', 'web');
    expect((await api.get(WEB)).status).toBe(404);
  }, 120_000);

  test('a release that was patched by the client is taken over', async () => {
    inShop('install', 'web', CHART, '--server-side=false', '--set=greeting=hello');
    expect(await owners()).toEqual(['helm Update']);
    expect(upgrade('--server-side=true', '--set=replicas=3')).toMatchObject({ code: 0 });
    expect((await api.get(WEB)).json().spec.replicas).toBe(3);
    expect(await owners()).toEqual(['helm Apply']);
    inShop('uninstall', 'web');
  }, 120_000);
});
