import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHART, helm, helmOk, type Manifest, parseManifests, runHelm } from './helm.js';
import { StrictTypes } from './strict-types/strict-types.js';

let strictTypes: StrictTypes;
let dir: string;
beforeAll(() => {
  helm();
  strictTypes = new StrictTypes();
  dir = mkdtempSync(join(tmpdir(), 'chart-values-'));
}, 600_000);
afterAll(() => {
  strictTypes?.close();
  rmSync(dir, { recursive: true });
});

/** The chart with values of a file; numbers in a file are not those of `--set`. */
function template(release: string, namespace: string, values: object): { text: string; objects: Manifest[] } {
  const text = helmOk(argsOf(release, namespace, values));
  return { text, objects: parseManifests(text) };
}

function argsOf(release: string, namespace: string, values: object): string[] {
  const file = join(dir, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  return ['template', release, CHART, `--namespace=${namespace}`, '--kube-version=1.27', `--values=${file}`];
}

/** Every object of these is decoded by the Go types of release 1.27, which take no number for a text. */
function expectStrict(text: string): void {
  const own = text.split(/^---$/m).filter((document) => /^kind:/m.test(document));
  expect(strictTypes.count(own.join('\n---\n'))).toBe(own.length);
}

const containerOf = (objects: readonly Manifest[], kind: string, component: string) => {
  const found = objects.find(
    ({ kind: each, metadata }) => each === kind && metadata.name.endsWith(`-${component}`),
  ) as Manifest;
  return found.spec.template.spec.containers[0];
};

/** Texts that YAML takes for something else where nothing stands around them. */
const ODD = ['123', '1e3', 'true', 'null', '0x1f'];

test.each(ODD)('texts stay texts where they look like something else: %s', (odd) => {
  const rbacName = odd.toLowerCase();
  const { text, objects } = template(rbacName, rbacName, {
    nameOverride: odd,
    fullnameOverride: 'a',
    image: { tag: odd, pullSecrets: [odd] },
    auth: {
      ...{ tokenSecret: odd, clientCaSecret: odd, serviceAccountKeySecret: odd, clusterSigningSecret: odd },
    },
    audit: { policy: 'a: b', webhook: { secret: odd } },
    postgres: {
      ...{ urlSecret: odd, urlKey: odd, apiServerUrlKey: odd, gatewayUrlKey: odd, migratorUrlKey: odd, caSecret: odd },
      roles: { apiServer: odd, gateway: odd },
    },
    nats: {
      auth: { secret: odd, user: odd, gatewaySecret: odd, gatewayUser: odd },
      bundled: { image: odd, storageClassName: odd },
    },
    apiServer: { priorityClassName: odd, nodeSelector: { a: odd }, service: { annotations: { a: odd } } },
    loadBalancer: { image: odd, secretName: odd },
    pki: { mode: 'secret', secretName: odd },
    optionFiles: { 'oidc-ca-file': { configMap: odd, key: odd }, 'tracing-config-file': { secret: odd, key: odd } },
    monitoring: { dashboards: { [odd]: '{}' } },
  });
  expectStrict(text);
  expect(objects.find(({ kind }) => kind === 'PodDisruptionBudget')?.metadata).toMatchObject({ namespace: rbacName });
  expectStrict(
    template(rbacName, rbacName, {
      fullnameOverride: 'a',
      postgres: { bundled: { enabled: true, image: odd, storageClassName: odd } },
      nats: { urlSecret: odd, tls: { secret: odd } },
    }).text,
  );
});

test('what a text says is no YAML and no other argument', () => {
  const user = 'a: b #c"\n- --authorization-mode=AlwaysAllow';
  const { text, objects } = template('orch', 'orch', {
    postgres: { migratorUrlKey: 'migrator', roles: { apiServer: user, gateway: user } },
    nats: { auth: { secret: 'nats', user, gatewaySecret: 'gateway', gatewayUser: user } },
  });
  expectStrict(text);
  const [role] = containerOf(objects, 'Job', 'migration').args.filter((arg: string) => arg.includes('api-server-role'));
  expect(role).toBe(`--api-server-role=${user}`);
  for (const component of ['api-server', 'watch-gateway'])
    expect(containerOf(objects, 'Deployment', component).args).toContain(`--nats-user=${user}`);
});

test('numbers of a file of values are written as they stand there', () => {
  const million = 2_000_000;
  const { text, objects } = template('orch', 'orch', {
    options: { 'max-requests-inflight': million, 'requests-a': 12_345_678_901, 'requests-b': 0.25, 'requests-c': true },
    config: { minRequestTimeout: million },
    shutdown: { delaySeconds: million, drainSeconds: million },
    apiServer: { replicas: million, watchCacheBytes: 2_000_000_000, autoscaling: { maxReplicas: million } },
    gateway: { autoscaling: { watchersPerPod: million } },
    loadBalancer: { maxConnections: million },
    postgres: { bundled: { enabled: true, storage: 8_000_000_000 } },
  });
  expect(text).not.toMatch(/\de\+\d/);
  const { args } = containerOf(objects, 'Deployment', 'api-server');
  expect(args).toEqual(
    expect.arrayContaining([
      '--max-requests-inflight=2000000',
      '--requests-a=12345678901',
      '--requests-b=0.25',
      '--requests-c=true',
      '--min-request-timeout=2000000',
      '--watch-cache-bytes=2000000000',
      '--shutdown-delay-duration=2000000s',
    ]),
  );
  expect(containerOf(objects, 'Deployment', 'load-balancer').args[2]).toContain('most=2000000\n');
});

test('servers are let out to what is named beside bundled backends', () => {
  const to = { ipBlock: { cidr: '10.0.0.0/8' } };
  const { objects } = template('orch', 'orch', {
    postgres: { bundled: { enabled: true } },
    networkPolicy: { backends: [to] },
  });
  for (const name of ['orch-api-server', 'orch-watch-gateway']) {
    const policy = objects.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === name);
    expect(policy?.spec.egress).toContainEqual({ to: [to] });
    expect(policy?.spec.egress).not.toContainEqual({});
  }
});

test('numbers that are taken away are none', () => {
  const { objects } = template('orch', 'orch', {
    apiServer: { replicas: null },
    gateway: { replicas: null, autoscaling: { enabled: false } },
    loadBalancer: { replicas: null },
    nats: { bundled: { replicas: null } },
  });
  const workloads = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet');
  expect(workloads.map(({ spec }) => spec.replicas)).toEqual([null, null, null, null]);
});

test.each([
  ['9lives', {}],
  ['a', { fullnameOverride: '9' }],
  ['a.b', {}],
  ['a', { nameOverride: 'a b: c' }],
  ['a', { nameOverride: 'x'.repeat(64) }],
])('names that no Service can have are refused: %s %j', (release, values) => {
  const { code, stderr } = runHelm(argsOf(release, 'orch', values));
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/fullnameOverride|nameOverride/);
});

test('the Job that migrates runs where api-servers may', () => {
  const tolerations = [{ key: 'dedicated', operator: 'Equal', value: 'control-plane', effect: 'NoSchedule' }];
  const place = {
    nodeSelector: { 'node-role': 'control-plane' },
    tolerations,
    priorityClassName: 'system-cluster-critical',
  };
  const { text, objects } = template('orch', 'orch', {
    apiServer: place,
    postgres: { urlSecret: 'postgres', migratorUrlKey: 'migrator', roles: { apiServer: 'a', gateway: 'b' } },
  });
  expectStrict(text);
  const pods = objects.filter(({ metadata }) => ['orch-migration', 'orch-api-server'].includes(metadata.name));
  const specs = pods
    .filter(({ kind }) => kind === 'Job' || kind === 'Deployment')
    .map(({ spec }) => spec.template.spec);
  expect(specs).toEqual([expect.objectContaining(place), expect.objectContaining(place)]);
});
