import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from '../clients/kubectl.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { CHART, helm, helm4, helmOk, type Manifest, runHelm } from './helm.js';

/** The last two charts; README.md beside them says where they come from. */
const BEFORE = ['orch-2026-11-27', 'orch-2026-11-28'];
/** The last one that has a value that is gone. */
const WITH_REDIS = 'orch-2026-11-21';
const REUSING = '--reset-then-reuse-values';

const DEFAULTS: unknown = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
/** Values that are no maps and must be there: functions of templates take no null in their place. */
const NEEDED_LEAVES = ['ipv6', 'loadBalancer.enabled', 'loadBalancer.alpn'];

const packed = (name: string) => fileURLToPath(new URL(`charts/${name}.tgz`, import.meta.url));

/** Values that an operator may have set long ago; every chart has them. */
const VALUES = {
  image: { repository: 'registry.example.com/orch', tag: 'old' },
  config: { advertiseHosts: ['api.example.com'], historyRetention: '7m', publicUrl: 'https://api.example.com' },
  postgres: { urlSecret: 'my-postgres' },
  nats: { auth: { secret: 'my-nats' }, bundled: { storage: '2Gi' } },
  apiServer: { replicas: 3, extraArgs: ['--feature-gates=WatchList=true'] },
  gateway: { autoscaling: { enabled: false }, replicas: 4 },
  loadBalancer: { maxConnections: 500, service: { type: 'LoadBalancer' } },
  shutdown: { delaySeconds: 7 },
};

let server: Standalone;
let kubectl: Kubectl;
let values: string;
beforeAll(async () => {
  helm();
  findKubectl('1.33');
  server = await startStandalone();
  kubectl = new Kubectl(findKubectl('1.33'), server.kubeconfig);
  values = join(dirname(server.kubeconfig), 'values.json');
  writeFileSync(values, JSON.stringify(VALUES));
}, KUBECTL_BUILD_MS);
afterAll(() => server?.stop());

const run = (...args: readonly string[]) => helmOk(args, server.kubeconfig);

/** A namespace of its own with a release of a chart of before. */
function installed(name: string, namespace: string): { readonly at: readonly string[] } {
  const at = [`--namespace=${namespace}`];
  run('install', 'orch', packed(name), ...at, '--create-namespace', `--values=${values}`);
  return { at };
}

const objectIn = async (namespace: string, kind: string, name: string): Promise<Manifest> =>
  JSON.parse(await kubectl.ok(['-n', namespace, 'get', kind, name, '-o', 'json']));

async function expectOwnValues(namespace: string): Promise<string[]> {
  const tier = async (name: string) => (await objectIn(namespace, 'deployment', `orch-${name}`)).spec;
  const [apiServer, gateway, balancer] = await Promise.all(['api-server', 'watch-gateway', 'load-balancer'].map(tier));
  expect([apiServer?.replicas, gateway?.replicas, balancer?.replicas]).toEqual([3, 4, 2]);
  const [container] = apiServer.template.spec.containers;
  const own = ['--history-retention=7m', '--feature-gates=WatchList=true', '--shutdown-delay-duration=7s'];
  expect(container.args).toEqual(expect.arrayContaining([...own, '--nats-user=orch']));
  expect(container.env[0].valueFrom.secretKeyRef.name).toBe('my-postgres');
  return container.args;
}

describe.each(BEFORE)('from the chart %s', (before) => {
  const namespace = before.replace('orch', 'from');
  let at: readonly string[];
  let args: string[];
  beforeAll(async () => {
    ({ at } = installed(before, namespace));
    args = await expectOwnValues(namespace);
  });
  const authorities = async () => (await objectIn(namespace, 'secret', 'orch-pki')).data;

  test('helm upgrade takes own values over, and the defaults of the new chart', async () => {
    const kept = await authorities();
    run('upgrade', 'orch', CHART, ...at, REUSING, '--set=image.tag=new');
    const now = await expectOwnValues(namespace);
    expect(now).toEqual(expect.arrayContaining(['--gateway-client-cert-file=/etc/orch/pki/gateway-client.crt']));
    expect(await authorities()).toEqual(kept);
    const { spec } = await objectIn(namespace, 'deployment', 'orch-api-server');
    const [{ image, startupProbe }] = spec.template.spec.containers;
    expect(image).toBe('registry.example.com/orch:new');
    expect(startupProbe.failureThreshold).toBe(1800);
    const { data } = await objectIn(namespace, 'secret', 'orch-servers');
    for (const item of spec.template.spec.volumes[0].projected.sources[0].secret.items)
      expect(Object.keys(data)).toContain(item.key);
    expect(
      await kubectl.ok(['-n', namespace, 'diff', '-f', '-'], { input: run('get', 'manifest', 'orch', ...at) }),
    ).toBe('');
  });

  test('helm rollback leads back, and another upgrade forth again', async () => {
    const kept = await authorities();
    run('rollback', 'orch', '1', ...at);
    expect(await expectOwnValues(namespace)).toEqual(args);
    expect(await authorities()).toEqual(kept);
    run('upgrade', 'orch', CHART, ...at, REUSING, '--set=image.tag=new');
    await expectOwnValues(namespace);
    expect(await authorities()).toEqual(kept);
  });

  test('certificates are made anew when kubelets are to know servers as another user, and by nothing else', async () => {
    const client = async () => {
      const { data } = await objectIn(namespace, 'secret', 'orch-servers');
      return new X509Certificate(Buffer.from(data['kubelet-client.crt'], 'base64'));
    };
    const upgrade = (...set: string[]) => run('upgrade', 'orch', CHART, ...at, REUSING, ...set);
    upgrade();
    const before = await client();
    upgrade();
    expect((await client()).serialNumber).toBe(before.serialNumber);
    upgrade('--set=kubelets.clientUser=other');
    expect([before.subject, (await client()).subject]).toEqual(['CN=apiserver-kubelet-client', 'CN=other']);
  });

  test('helm uninstall leaves the authorities alone', async () => {
    run('uninstall', 'orch', ...at);
    const kinds = 'deployments,services,statefulsets,secrets,configmaps,serviceaccounts,networkpolicies';
    const left = await kubectl.ok([
      '-n',
      namespace,
      'get',
      kinds,
      '-o',
      'name',
      '-l',
      'app.kubernetes.io/part-of=orch',
    ]);
    expect(left.trim()).toBe('secret/orch-pki');
  });
});

describe('an upgrade that cannot be is refused before anything is changed', () => {
  beforeAll(() => void helm4(), KUBECTL_BUILD_MS);

  test.each([
    ['3', helm],
    ['4', helm4],
  ] as const)('with --reuse-values, by Helm %s, and the way is named', (major, program) => {
    const { at } = installed(BEFORE[0] as string, `reusing-${major}`);
    const { code, stderr } = runHelm(['upgrade', 'orch', CHART, ...at, '--reuse-values'], server.kubeconfig, program());
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/these values are missing: ipv6, pods(, |\.)/);
    expect(stderr).toContain('use --reset-then-reuse-values');
    expect(run('history', 'orch', ...at, '--output=json')).not.toContain(
      '"revision":2,"updated":"","status":"deployed"',
    );
  });

  test('with a value that is gone, by its name', async () => {
    const at = ['--namespace=gone'];
    const own = ['--set=redis.urlSecret=my-redis,gateway.replicas=4,gateway.autoscaling.enabled=false'];
    run('install', 'orch', packed(WITH_REDIS), ...at, '--create-namespace', ...own);
    const upgrade = ['upgrade', 'orch', CHART, ...at];
    const { code, stderr } = runHelm([...upgrade, REUSING], server.kubeconfig);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/propert(y|ies) '?redis'? (is )?not allowed/);
    // As the page says: own values without it, as a file.
    const { redis, ...others } = parse(run('get', 'values', 'orch', ...at, '--output=yaml'));
    expect(redis).toEqual({ urlSecret: 'my-redis' });
    const file = join(dirname(server.kubeconfig), 'own.json');
    writeFileSync(file, JSON.stringify(others));
    run(...upgrade, '--reset-values', `--values=${file}`);
    expect((await objectIn('gone', 'deployment', 'orch-watch-gateway')).spec.replicas).toBe(4);
  });
});

test('the list of values that an upgrade must not lack is that of the chart', () => {
  const listed = readFileSync(join(CHART, 'files', 'values.txt'), 'utf8')
    .trim()
    .split('\n');
  const needed = [...valuesOf(DEFAULTS)].filter(({ path, leaf }) => !leaf || NEEDED_LEAVES.includes(path));
  expect(listed).toEqual(needed.map(({ path }) => path));
});

describe('null, by which Helm takes a default away', () => {
  const rendered = (own: object, ...more: readonly string[]) => {
    const file = join(dirname(server.kubeconfig), 'null.json');
    writeFileSync(file, JSON.stringify(own));
    return runHelm(['template', 'orch', CHART, '--kube-version=1.27', `--values=${file}`, ...more]);
  };

  test.each([
    ['every value that is no map', () => true],
    ['every value that turns nothing on', (value: unknown) => typeof value !== 'boolean'],
  ])('is taken for %s', (_, isTaken) => {
    const taken = (path: string, value: unknown) => !NEEDED_LEAVES.includes(path) && isTaken(value);
    const { code, stderr } = rendered(
      nulled(DEFAULTS, taken),
      '--set=monitoring.podMonitor.tokenSecret=metrics,monitoring.probe.prober=blackbox:9115',
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('is refused for those that templates reach through, by their names', () => {
    const { code, stderr } = rendered({ pods: null, gateway: { autoscaling: null }, loadBalancer: { alpn: null } });
    expect(code).not.toBe(0);
    expect(stderr).toContain(
      'these values are missing: pods, gateway.autoscaling, loadBalancer.alpn. They cannot be null',
    );
  });

  test('is taken within a variable of pods', () => {
    const variable = { name: 'A', value: 'x', valueFrom: null };
    const { stderr, stdout } = rendered({
      pods: { extraEnv: [variable, { name: 'B', valueFrom: { secretKeyRef: null } }] },
    });
    expect(stderr).toBe('');
    expect(stdout).toContain('value: x');
  });
});

/** Lists the values of the chart. Operators may remove parts of `resources`. */
function* valuesOf(value: unknown, path: readonly string[] = []): Generator<{ path: string; leaf: boolean }> {
  const members = isMap(value) && path.at(-1) !== 'resources' ? Object.entries(value) : [];
  if (path.length > 0) yield { path: path.join('.'), leaf: members.length === 0 };
  for (const [name, member] of members) yield* valuesOf(member, [...path, name]);
}

/** The same values, null where a test of path and value says so. */
function nulled(
  value: unknown,
  isTaken: (path: string, value: unknown) => boolean,
  path: readonly string[] = [],
): object {
  const of = (name: string, member: unknown) => {
    const at = [...path, name];
    if (isMap(member) && name !== 'resources' && Object.keys(member).length > 0) return nulled(member, isTaken, at);
    return isTaken(at.join('.'), member) ? null : member;
  };
  return Object.fromEntries(Object.entries(value as object).map(([name, member]) => [name, of(name, member)]));
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
