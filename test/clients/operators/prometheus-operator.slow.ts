import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { freePorts } from '../../../tools/up/index.js';
import { Api } from '../../support/api.js';
import { hasManifests, MANIFESTS } from '../manifests.js';
import { restartGateways } from '../restart-gateways.js';
import { operatorStage } from './operator-stage.js';

const NAMESPACE = 'monitoring';
const CUSTOM = `/apis/monitoring.coreos.com/v1/namespaces/${NAMESPACE}`;
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const SETS = `/apis/apps/v1/namespaces/${NAMESPACE}/statefulsets`;
const WAIT = { timeout: 30_000 };

const object = (kind: string, name: string, spec: object) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind,
  metadata: { name, labels: { app: name } },
  spec,
});

describe('the Prometheus operator', () => {
  const stage = operatorStage(
    {
      name: 'prometheus-operator',
      module: 'github.com/prometheus-operator/prometheus-operator',
      version: 'v0.85.0',
      main: 'cmd/operator',
      definitions: 'example/prometheus-operator-crd',
    },
    NAMESPACE,
    async () => {
      const [port = 0] = await freePorts(1);
      const api = new Api({ url: `http://127.0.0.1:${port}` });
      const ready = async () => (await api.get('/healthz').catch(() => undefined))?.status === 200;
      return { args: [`--web.listen-address=127.0.0.1:${port}`], ready };
    },
  );

  /** Returns the scrape configuration that the operator has written; "" before there is any. */
  const configuration = async (): Promise<string> => {
    const packed = (await stage.find(`${CORE}/secrets/prometheus-main`))?.data?.['prometheus.yaml.gz'];
    return packed === undefined ? '' : gunzipSync(Buffer.from(packed, 'base64')).toString();
  };
  const conditionsOf = async (path: string): Promise<Record<string, string>> => {
    const conditions: { type: string; status: string }[] = (await stage.find(path))?.status?.conditions ?? [];
    return Object.fromEntries(conditions.map(({ type, status }) => [type, status]));
  };
  const setOf = async (name: string) => {
    const found = await stage.find(`${SETS}/${name}`);
    const [container] = found?.spec.template.spec.containers ?? [];
    return found && { replicas: found.spec.replicas, args: container?.args as string[], owner: found.metadata };
  };

  test('makes the set, the service and the configuration that a Prometheus asks for', async () => {
    const everything = { serviceMonitorSelector: {}, ruleSelector: {}, retention: '1d', replicas: 2 };
    const { metadata } = await stage.create(`${CUSTOM}/prometheuses`, object('Prometheus', 'main', everything));
    const owned = { ownerReferences: [{ kind: 'Prometheus', uid: metadata.uid, controller: true }] };
    await expect.poll(() => setOf('prometheus-main'), WAIT).toMatchObject({ replicas: 2, owner: owned });
    expect((await setOf('prometheus-main'))?.args).toContain('--storage.tsdb.retention.time=1d');
    await expect.poll(() => stage.find(`${CORE}/services/prometheus-operated`), WAIT).toBeDefined();
    expect(await configuration()).toContain('global:');
    await expect.poll(() => conditionsOf(`${CUSTOM}/prometheuses/main`), WAIT).toMatchObject({ Reconciled: 'True' });
  }, 60_000);

  test('brings monitors and rules into it', async () => {
    const endpoints = [{ port: 'web', path: '/first' }];
    const monitor = { selector: { matchLabels: { app: 'web' } }, endpoints };
    await stage.create(`${CUSTOM}/servicemonitors`, object('ServiceMonitor', 'web', monitor));
    const groups = [{ name: 'up', rules: [{ alert: 'Down', expr: 'up == 0', for: '5m' }] }];
    await stage.create(`${CUSTOM}/prometheusrules`, object('PrometheusRule', 'up', { groups }));
    await expect.poll(configuration, WAIT).toContain('metrics_path: /first');
    const rules = async () => (await stage.find(`${CORE}/configmaps/prometheus-main-rulefiles-0`))?.data ?? {};
    await expect.poll(async () => Object.values(await rules()).join(), WAIT).toContain('alert: Down');
  }, 60_000);

  test('goes on over restarts of the gateways', async () => {
    const kinds = ['prometheuses', 'servicemonitors', 'prometheusrules'];
    const lists = await stage.lists(...kinds);
    expect(lists).toBeGreaterThanOrEqual(kinds.length);
    await restartGateways(stage.cluster);
    const changed = async (path: string, spec: object) => {
      const answer = await stage.api.patch(`${CUSTOM}/${path}`, 'merge', { spec });
      expect(answer.status, answer.text).toBe(200);
    };
    await changed('servicemonitors/web', { endpoints: [{ port: 'web', path: '/second' }] });
    await expect.poll(configuration, WAIT).toContain('metrics_path: /second');
    expect(await configuration()).not.toContain('/first');
    await restartGateways(stage.cluster);
    await changed('prometheuses/main', { replicas: 3, retention: '2d' });
    await expect
      .poll(() => setOf('prometheus-main'), WAIT)
      .toMatchObject({
        replicas: 3,
        args: expect.arrayContaining(['--storage.tsdb.retention.time=2d']),
      });
    expect((await stage.api.delete(`${CUSTOM}/servicemonitors/web`)).status).toBe(200);
    await expect.poll(configuration, WAIT).not.toContain('/second');
    expect(await stage.lists(...kinds), 'nothing is listed anew').toBe(lists);
  }, 120_000);

  test('makes an Alertmanager too, and has the server refuse what its schemas are against', async () => {
    const answer = await stage.api.post(`${CUSTOM}/prometheuses`, object('Prometheus', 'wrong', { retention: 'long' }));
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('spec.retention in body should match');
    const alertmanager = object('Alertmanager', 'main', { replicas: 1 });
    await stage.create(`${CUSTOM}/alertmanagers`, alertmanager);
    await expect.poll(() => setOf('alertmanager-main'), WAIT).toMatchObject({ replicas: 1 });
    await expect.poll(() => conditionsOf(`${CUSTOM}/alertmanagers/main`), WAIT).toMatchObject({ Reconciled: 'True' });
  }, 60_000);

  test.runIf(hasManifests)(
    'reconciles a whole stack of others, applied with the definitions that it brings',
    async () => {
      const stack = join(MANIFESTS, 'kube-prometheus');
      await stage.kubectl.ok(['apply', '--server-side', '--force-conflicts', '-f', join(stack, 'setup')]);
      // An object of this name is there already.
      expect((await stage.api.delete(`${CUSTOM}/alertmanagers/main`)).status).toBe(200);
      await stage.kubectl.ok(['apply', '-f', stack]);
      await expect.poll(() => setOf('prometheus-k8s'), WAIT).toMatchObject({ replicas: 2 });
      await expect.poll(() => setOf('alertmanager-main'), WAIT).toMatchObject({ replicas: 3 });
      for (const path of ['prometheuses/k8s', 'alertmanagers/main'])
        await expect.poll(() => conditionsOf(`${CUSTOM}/${path}`), WAIT).toMatchObject({ Reconciled: 'True' });
      const rules = async () => (await stage.find(`${CORE}/configmaps/prometheus-k8s-rulefiles-0`))?.data ?? {};
      await expect.poll(async () => Object.keys(await rules()).length, WAIT).toBeGreaterThanOrEqual(8);
    },
    120_000,
  );
});
