import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from '../clients/kubectl.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { CHART, DEPLOY, helm, helmOk, type Manifest, render } from './helm.js';

/** Kinds of other projects are not served. */
const FOREIGN = /^(cert-manager\.io|monitoring\.coreos\.com)\//;
const LARGE = ['--set=pki.mode=generate,monitoring.podMonitor.enabled=false'];

const nameOf = ({ kind, metadata }: Manifest) => `${kind}/${metadata.name}`;

let server: Standalone;
beforeAll(async () => {
  helm();
  for (const release of ['1.27', '1.33'] as const) findKubectl(release);
  server = await startStandalone();
}, KUBECTL_BUILD_MS);
afterAll(() => server?.stop());

describe.each(['1.27', '1.33'] as const)('with kubectl %s on a running server', (release) => {
  let kubectl: Kubectl;
  const namespace = `orch-${release.replace('.', '-')}`;

  beforeAll(async () => {
    const file = findKubectl(release);
    kubectl = new Kubectl(file, server.kubeconfig);
    await kubectl.ok(['create', 'namespace', namespace]);
  });

  describe.each([
    ['values', []],
    ['values-small', []],
    ['values-large', LARGE],
  ] as const)('%s', (values, more) => {
    let file: string;
    let objects: Manifest[];
    const onAll = (...args: string[]) => kubectl.ok([...args, `--filename=${file}`]);

    beforeAll(() => {
      const rendered = render(values, ...more, `--namespace=${namespace}`);
      objects = rendered.objects;
      file = join(dirname(server.kubeconfig), `${namespace}-${values}.yaml`);
      writeFileSync(file, rendered.text);
    });

    test('is applied strictly, dry and really, and a second time without a change', async () => {
      expect(objects.some(({ apiVersion }) => FOREIGN.test(apiVersion))).toBe(false);
      const lines = (text: string) => text.trim().split('\n');
      const dry = lines(await onAll('apply', '--validate=strict', '--dry-run=server'));
      expect(dry).toHaveLength(objects.length);
      expect(dry.filter((line) => !line.endsWith('created (server dry run)'))).toEqual([]);
      const applied = lines(await onAll('apply', '--validate=strict'));
      expect(applied.filter((line) => !line.endsWith('created'))).toEqual([]);
      const first = await versions();
      expect([...first.keys()].sort()).toEqual(objects.map(nameOf).sort());
      // kubectl sends patches of lists that it cannot compare; they must change nothing.
      await onAll('apply', '--validate=strict');
      expect(await versions()).toEqual(first);
      expect(await onAll('diff')).toBe('');
    });

    test('takes other values by another apply, in place', async () => {
      const before = await uids();
      const changed = ['--set=config.verbosity=2,shutdown.drainSeconds=45'];
      writeFileSync(file, render(values, ...more, ...changed, `--namespace=${namespace}`).text);
      const lines = (await onAll('apply', '--validate=strict')).trim().split('\n');
      expect(lines.filter((line) => !/ (configured|unchanged)$/.test(line))).toEqual([]);
      expect(await uids()).toEqual(before);
      const seconds = ['-n', namespace, 'get', 'deployment', 'orch-api-server', '-o'];
      const path = 'jsonpath={.spec.template.spec.terminationGracePeriodSeconds}';
      expect(Number(await kubectl.ok([...seconds, path]))).toBeGreaterThanOrEqual(45 + 10);
    });

    afterAll(async () => {
      expect((await onAll('delete', '--wait=false')).trim().split('\n')).toHaveLength(objects.length);
    });

    const stored = async (): Promise<readonly Manifest[]> => JSON.parse(await onAll('get', '--output=json')).items;
    const versions = async () =>
      new Map((await stored()).map((object) => [nameOf(object), object.metadata.resourceVersion]));
    const uids = async () => new Map((await stored()).map((object) => [nameOf(object), object.metadata.uid]));
  });
});

test('the plain manifests are applied as they are', async () => {
  const kubectl = new Kubectl(findKubectl('1.33'), server.kubeconfig);
  const file = join(DEPLOY, 'manifests', 'orch.yaml');
  await kubectl.ok(['create', 'namespace', 'orch']);
  await kubectl.ok(['apply', '--validate=strict', `--filename=${file}`]);
  expect(readFileSync(file, 'utf8')).not.toMatch(/\bHelm\b/);
  await kubectl.ok(['delete', '--wait=false', `--filename=${file}`]);
});

test('helm installs, upgrades, rolls back and uninstalls; keys and passwords stay', async () => {
  const kubectl = new Kubectl(findKubectl('1.33'), server.kubeconfig);
  const small = ['trial', CHART, '--namespace=trial', `--values=${CHART}/values-small.yaml`];
  const run = (...args: string[]) => helmOk(args, server.kubeconfig);
  const secret = (name: string) => kubectl.ok(['-n', 'trial', 'get', 'secret', name, '-o', 'jsonpath={.data}']);

  const notes = run('install', ...small, '--create-namespace');
  expect(notes).toContain('STATUS: deployed');
  expect(await administrator(kubectl, notes)).toBe('https://trial-orch-api-server.trial.svc');
  const [pki, postgres] = [await secret('trial-orch-pki'), await secret('trial-orch-postgres')];
  run('upgrade', ...small, '--set=loadBalancer.enabled=true,gateway.replicas=3');
  expect(await secret('trial-orch-pki')).toBe(pki);
  expect(await secret('trial-orch-postgres')).toBe(postgres);
  const issued = () => Promise.all(['load-balancer', 'servers', 'admin'].map((name) => secret(`trial-orch-${name}`)));
  const before = await issued();
  run('upgrade', ...small, '--set=loadBalancer.enabled=true,gateway.replicas=3');
  expect(await issued(), 'nothing has changed that is in them').toEqual(before);
  run('upgrade', ...small, '--set=loadBalancer.enabled=true,config.advertiseHosts={api.example.com}');
  const after = await issued();
  for (const [at, data] of after.entries()) expect(data).not.toBe(before[at]);
  run('rollback', 'trial', '2', '--namespace=trial');
  const replicas = ['get', 'deployment', 'trial-orch-watch-gateway', '-o', 'jsonpath={.spec.replicas}'];
  expect(await kubectl.ok(['-n', 'trial', ...replicas])).toBe('3');
  run('uninstall', 'trial', '--namespace=trial');
  expect(await kubectl.ok(['-n', 'trial', 'get', 'deployments,services,statefulsets', '-o', 'name'])).toBe('');
  expect(await secret('trial-orch-pki')).toBe(pki);
});

/** The server in the kubeconfig that the command of the notes brings. */
async function administrator(kubectl: Kubectl, notes: string): Promise<string> {
  const command = notes.split('\n').find((line) => line.includes('get secret trial-orch-admin')) ?? '';
  const [, args = '', template = ''] = /kubectl (.*) -o (go-template='.*') >/.exec(command) ?? [];
  const text = await kubectl.ok([...args.split(' '), '-o', template.replaceAll("'", '')]);
  const { clusters, users } = parse(text);
  const certificate = new X509Certificate(Buffer.from(users[0].user['client-certificate-data'], 'base64'));
  expect(certificate.subject).toBe('CN=admin');
  return clusters[0].cluster.server;
}

describe('pods are replaced by an upgrade when what they read at their start has changed', () => {
  const from = (name: string) => ({ name: name.toUpperCase(), valueFrom: { secretKeyRef: { name, key: 'text' } } });
  /** Each object has a name of its own, so that it is told which one counts. */
  const VALUES = {
    auth: { serviceAccountKeySecret: 'sa-keys', tokenSecret: 'tokens', clientCaSecret: 'client-ca' },
    postgres: { urlSecret: 'database', caSecret: 'database-ca' },
    nats: { auth: { secret: 'nats' } },
    optionFiles: {
      'oidc-ca-file': { secret: 'oidc', key: 'a' },
      'tracing-config-file': { configMap: 'tracing', key: 'a' },
    },
    pods: { extraEnv: [from('variable'), { name: 'B', valueFrom: { configMapKeyRef: { name: 'map', key: 'a' } } }] },
  };
  const SERVERS = 2;
  const NATS = 1;
  let kubectl: Kubectl;
  let upgrade: string[];
  let before: string[];
  const sums = (): string[] => helmOk(upgrade, server.kubeconfig).match(/checksum\/start: \S+/g) ?? [];
  const write = async (kind: string[], name: string, text: string) => {
    const made = ['create', ...kind, name, `--from-literal=text=${text}`, '--dry-run=client', '--output=yaml'];
    await kubectl.ok(['apply', '--filename=-'], { input: await kubectl.ok(made) });
  };

  beforeAll(() => {
    kubectl = new Kubectl(findKubectl('1.33'), server.kubeconfig);
    const file = join(dirname(server.kubeconfig), 'start.json');
    writeFileSync(file, JSON.stringify(VALUES));
    upgrade = ['upgrade', '--install', 'orch', CHART, '--namespace=default', '--dry-run=server', `--values=${file}`];
    before = sums();
    expect(sums()).toEqual(before);
  });

  test.each([
    ...['sa-keys', 'tokens', 'database', 'database-ca', 'oidc', 'variable'].map(
      (name) => ['secret', name, SERVERS] as const,
    ),
    ...['tracing', 'map'].map((name) => ['configmap', name, SERVERS] as const),
    // It has no other way to hear of it; servers read the file for every connection.
    ['secret', 'nats', NATS],
    // Read again when it changes.
    ['secret', 'client-ca', 0],
  ] as const)('%s %s', async (kind, name, workloads) => {
    await write(kind === 'secret' ? ['secret', 'generic'] : ['configmap'], name, 'any');
    const after = sums();
    expect(after.filter((sum) => !before.includes(sum))).toHaveLength(workloads);
    before = after;
  });
});
