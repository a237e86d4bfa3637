import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from './kubectl.js';

describe.each(['1.27', '1.33'] as const)('kubectl %s', (release) => {
  let server: Standalone;
  let kubectl: Kubectl;

  beforeAll(async () => {
    const file = findKubectl(release);
    const group = 'authentication.k8s.io';
    const args = [`--runtime-config=${group}/v1alpha1=true,${group}/v1beta1=true`];
    server = await startStandalone({ naming: 'kubernetes', args });
    kubectl = new Kubectl(file, server.kubeconfig);
  }, KUBECTL_BUILD_MS);
  afterAll(() => server?.stop());

  /** A pod on a node, ready, and counted to a budget. */
  async function runPod(name: string, node: string): Promise<void> {
    const metadata = { name, labels: { app: 'web' }, ownerReferences: OWNER };
    const spec = { nodeName: node, terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] };
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
    await kubectl.ok(['create', '-f', '-'], { input });
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await kubectl.ok(['patch', 'pod', name, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
  }
  const OWNER = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }];

  test('drain waits for the budget, and evicts what it lets go', async () => {
    const labels = { app: 'web' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const objects = [
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } },
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'web' },
        spec: { selector: { matchLabels: labels }, template },
      },
    ];
    for (const object of objects) await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(object) });
    await kubectl.ok(['create', 'poddisruptionbudget', 'b', '--selector=app=web', '--min-available=1']);
    for (const name of ['a', 'b']) await runPod(name, 'n');
    const allow = (disruptionsAllowed: number) => {
      const status = { observedGeneration: 1, disruptionsAllowed, desiredHealthy: 1, currentHealthy: 2 };
      const patch = JSON.stringify({ status });
      return kubectl.ok(['patch', 'pdb', 'b', '--subresource=status', '--type=merge', '-p', patch]);
    };
    await allow(1);
    const refused = await kubectl.refused(['drain', 'n', '--timeout=2s']);
    expect(refused).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    expect(lines(await kubectl.ok(['get', 'pods', '-o', 'name']))).toHaveLength(1);
    await allow(1);
    expect(await kubectl.ok(['drain', 'n'])).toContain('node/n drained');
    expect(await kubectl.ok(['get', 'pods', '-o', 'name'])).toBe('');
  });

  test('get cs shows the parts of the control plane', async () => {
    const { stdout, stderr } = await kubectl.run(['get', 'cs']);
    expect(lines(stdout).map((line) => line.split(/\s+/).slice(0, 3).join(' '))).toEqual([
      'NAME STATUS MESSAGE',
      'postgres Healthy ok',
      'feed Healthy ok',
    ]);
    expect(stderr).toContain('v1 ComponentStatus is deprecated in v1.19+');
  });

  test('auth can-i asks and lists', async () => {
    expect(await kubectl.ok(['auth', 'can-i', 'delete', 'nodes'])).toContain('yes');
    expect(await kubectl.ok(['auth', 'can-i', 'get', '/metrics'])).toContain('yes');
    expect(await kubectl.ok(['auth', 'can-i', '--list'])).toContain('*.*');
    expect(await kubectl.ok(['auth', 'whoami'])).toContain('system:masters');
  });

  test('logs, exec, attach, port-forward and create token say why not', async () => {
    await runPod('p', 'gone');
    const free = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'free' } };
    const containers = ['x', 'y'].map((name) => ({ name, image: 'i' }));
    await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify({ ...free, spec: { containers } }) });
    expect(await kubectl.ok(['logs', 'free', '-c', 'x'])).toBe('');
    expect(await kubectl.refused(['logs', 'free', '-c', 'z'])).toContain('container z is not valid for pod free');
    expect(await kubectl.refused(['logs', 'p'])).toContain('nodes "gone" not found');
    await kubectl.ok(['create', '-f', '-'], { input: JSON.stringify({ ...NODE, metadata: { name: 'gone' } }) });
    expect(await kubectl.refused(['logs', 'p'])).toContain('address not allowed');
    expect(await kubectl.refused(['exec', 'p', '--', 'ls'])).toContain('address not allowed');
    expect(await kubectl.refused(['attach', 'p'])).toContain('address not allowed');
    expect(await kubectl.refused(['port-forward', 'pod/p', ':80'])).toContain('address not allowed');
    expect(await kubectl.refused(['create', 'token', 'nobody'])).toContain('error: failed to create token');
  });
});

const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] },
};

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
