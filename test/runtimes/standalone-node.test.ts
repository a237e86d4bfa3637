import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from '../clients/kubectl.js';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

describe('a standalone server whose machine is a node', () => {
  const cgroup = `/orch-standalone-node-${process.pid}`;
  let dir: string;
  let server: Standalone;

  let kubectl: Kubectl;

  const json = async (...args: string[]) => JSON.parse(await kubectl.ok([...args, '-o', 'json']));
  const nodeName = async () => (await json('get', 'nodes')).items[0]?.metadata.name as string | undefined;
  const podOf = (name: string) => json('get', 'pod', name);
  const phaseOf = async (name: string) => (await podOf(name)).status.phase;

  beforeAll(async () => {
    installForNodes('busybox-static', 'bubblewrap');
    dir = mkdtempSync(join(tmpdir(), 'standalone-node-'));
    const config = join(dir, 'node.yaml');
    const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
    writeFileSync(
      config,
      `${head}cgroupRoot: ${cgroup}\nfailSwapOn: false\nhealthzPort: 0\nimageGCHighThresholdPercent: 100\nevictionHard: {memory.available: 0%}\n`,
    );
    server = await startStandalone({ args: ['--node-runtime=process', `--node-config=${config}`] });
    kubectl = new Kubectl(findKubectl('1.27'), server.kubeconfig);
  }, KUBECTL_BUILD_MS);

  afterAll(async () => {
    await kubectl.ok(['delete', 'pods', '--all', '--wait=true']);
    await server.stop();
    await removeEmptiedGroup(basename(cgroup));
    rmSync(dir, { recursive: true, force: true });
  });

  test('registers the node, and runs the image that it has made, which serves a page', async () => {
    await expect.poll(nodeName).toBeDefined();
    await kubectl.ok(['run', 'web', '--image=localhost/demo']);
    await expect.poll(() => phaseOf('web')).toBe('Running');
    await expect
      .poll(async () => {
        const { podIP } = (await podOf('web')).status;
        return fetch(`http://${podIP}:8080/`).then((answer) => answer.text(), String);
      })
      .toContain('It works.');
  });

  test('gives pods a token, and the authority with which they verify the API', async () => {
    const spec = {
      restartPolicy: 'Never',
      containers: [
        {
          ...{ name: 'c', image: 'localhost/demo', terminationMessagePath: '/dev/termination-log' },
          command: ['sh', '-c', 'cd /var/run/secrets/kubernetes.io/serviceaccount; ls > /dev/termination-log'],
        },
      ],
    };
    await kubectl.ok(['run', 'reader', '--image=localhost/demo', `--overrides=${JSON.stringify({ spec })}`]);
    await expect.poll(() => phaseOf('reader')).toBe('Succeeded');
    const { message } = (await podOf('reader')).status.containerStatuses[0].state.terminated;
    expect(message).toBe('ca.crt\nnamespace\ntoken\n');
  });

  test('ends with an error, before it serves, where the configuration of the node cannot be read', async () => {
    const started = startStandalone({ args: ['--node-runtime=process', '--node-config=/none/such'] });
    await expect(started).rejects.toThrow(/\/none\/such/);
  });
});
