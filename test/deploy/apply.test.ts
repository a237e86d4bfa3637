import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKubectl, Kubectl } from '../clients/kubectl.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { CHART, DEPLOY, helm, helmOk, type Manifest, render } from './helm.js';

/** Kinds of other projects are not served. */
const FOREIGN = /^(cert-manager\.io|monitoring\.coreos\.com)\//;
const LARGE = ['--set=pki.mode=generate,monitoring.podMonitor.enabled=false'];

const nameOf = ({ kind, metadata }: Manifest) => `${kind}/${metadata.name}`;

let server: Standalone;
beforeAll(async () => {
  helm();
  server = await startStandalone();
}, 600_000);
afterAll(() => server?.stop());

describe.each(['1.27', '1.33'])('with kubectl %s on a running server', (release) => {
  let kubectl: Kubectl;
  const namespace = `orch-${release.replace('.', '-')}`;

  beforeAll(async () => {
    const file = findKubectl(release);
    if (file === undefined) throw new Error(`kubectl.${release} is not installed`);
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
      const stored = await versions();
      expect([...stored.keys()].sort()).toEqual(objects.map(nameOf).sort());
      // kubectl sends patches of lists that it cannot compare; they must change nothing.
      await onAll('apply', '--validate=strict');
      expect(await versions()).toEqual(stored);
      expect(await onAll('diff')).toBe('');
    });

    afterAll(async () => {
      expect((await onAll('delete', '--wait=false')).trim().split('\n')).toHaveLength(objects.length);
    });

    async function versions(): Promise<Map<string, string>> {
      const { items } = JSON.parse(await onAll('get', '--output=json')) as { items: Manifest[] };
      return new Map(items.map((object) => [nameOf(object), object.metadata.resourceVersion ?? '']));
    }
  });
});

test('the plain manifests are applied as they are', async () => {
  const kubectl = new Kubectl(findKubectl('1.33') as string, server.kubeconfig);
  const file = join(DEPLOY, 'manifests', 'orch.yaml');
  await kubectl.ok(['create', 'namespace', 'orch']);
  await kubectl.ok(['apply', '--validate=strict', `--filename=${file}`]);
  expect(readFileSync(file, 'utf8')).not.toMatch(/\bHelm\b/);
  await kubectl.ok(['delete', '--wait=false', `--filename=${file}`]);
});

test('helm installs, upgrades, rolls back and uninstalls; keys and passwords stay', async () => {
  const kubectl = new Kubectl(findKubectl('1.33') as string, server.kubeconfig);
  const small = ['trial', CHART, '--namespace=trial', `--values=${CHART}/values-small.yaml`];
  const run = (...args: string[]) => helmOk(args, server.kubeconfig);
  const secret = (name: string) => kubectl.ok(['-n', 'trial', 'get', 'secret', name, '-o', 'jsonpath={.data}']);

  expect(run('install', ...small, '--create-namespace')).toContain('STATUS: deployed');
  const [pki, postgres] = [await secret('trial-orch-pki'), await secret('trial-orch-postgres')];
  run('upgrade', ...small, '--set=loadBalancer.enabled=true,gateway.replicas=3');
  expect(await secret('trial-orch-pki')).toBe(pki);
  expect(await secret('trial-orch-postgres')).toBe(postgres);
  const balancer = await secret('trial-orch-load-balancer');
  run('upgrade', ...small, '--set=loadBalancer.enabled=true');
  expect(await secret('trial-orch-load-balancer')).toBe(balancer);
  run('rollback', 'trial', '2', '--namespace=trial');
  const replicas = ['get', 'deployment', 'trial-orch-watch-gateway', '-o', 'jsonpath={.spec.replicas}'];
  expect(await kubectl.ok(['-n', 'trial', ...replicas])).toBe('3');
  run('uninstall', 'trial', '--namespace=trial');
  expect(await kubectl.ok(['-n', 'trial', 'get', 'deployments,services,statefulsets', '-o', 'name'])).toBe('');
  expect(await secret('trial-orch-pki')).toBe(pki);
});
