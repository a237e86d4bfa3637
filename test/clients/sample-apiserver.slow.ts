import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { get as getSecurely } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts, ManagedProcess } from '../../tools/up/index.js';
import { KUBECTL_BUILD_MS } from './kubectl.js';
import { kubectlStage } from './kubectl-stage.js';
import { buildSampleApiserver } from './sample-apiserver/build-sample-apiserver.js';

const NAME = 'v1alpha1.wardle.example.com';
/** It wants to know of kinds that release 1.27 has no versions of. */
const OPTIONS = [
  '--enable-priority-and-fairness=false',
  '--disable-admission-plugins=MutatingAdmissionPolicy,ValidatingAdmissionPolicy',
];
const flunder = (name: string, reference = 'another') =>
  JSON.stringify({
    apiVersion: 'wardle.example.com/v1alpha1',
    kind: 'Flunder',
    metadata: { name },
    spec: { referenceType: 'Flunder', reference },
  });

describe("Kubernetes' own sample of a server of group-versions, with kubectl", () => {
  const stage = kubectlStage('1.27');
  const processes: ManagedProcess[] = [];
  let dir: string;
  let port: number;

  beforeAll(async () => {
    const programs = buildSampleApiserver();
    dir = mkdtempSync(join(tmpdir(), 'sample-apiserver-'));
    const [clients = 0, peers = 0, free = 0] = await freePorts(3);
    port = free;
    const etcd = `http://127.0.0.1:${clients}`;
    const peer = `http://127.0.0.1:${peers}`;
    const start = async (name: string, command: string, args: string[], ready: () => Promise<boolean>) => {
      const started = new ManagedProcess({ name, command, args, logFile: join(dir, `${name}.log`), cwd: dir, ready });
      processes.push(started);
      return started.start();
    };
    const urls = [`--listen-client-urls=${etcd}`, `--advertise-client-urls=${etcd}`, `--listen-peer-urls=${peer}`];
    const cluster = [`--initial-advertise-peer-urls=${peer}`, `--initial-cluster=one=${peer}`];
    const etcdArgs = ['--name=one', `--data-dir=${join(dir, 'etcd')}`, ...urls, ...cluster, '--log-level=error'];
    await start('etcd', programs.etcd, etcdArgs, () => answers(`${etcd}/health`));
    const { kubeconfig } = stage.server;
    const configs = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
    const args = [
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      `--cert-dir=${join(dir, 'certs')}`,
      `--etcd-servers=${etcd}`,
      ...configs.map((name) => `--${name}=${kubeconfig}`),
      ...OPTIONS,
    ];
    await start('sample-apiserver', programs.server, args, () => accepts(port));
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'api', namespace: 'app' } };
    const spec = {
      group: 'wardle.example.com',
      version: 'v1alpha1',
      insecureSkipTLSVerify: true,
      groupPriorityMinimum: 1000,
      versionPriority: 15,
      service: { name: 'api', namespace: 'app', port },
    };
    const registration = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: NAME },
      spec,
    };
    const items = [{ ...service, spec: { type: 'ExternalName', externalName: 'localhost' } }, registration];
    const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await stage.kubectl.ok(['create', '-f', '-'], { input: list });
  }, 2 * KUBECTL_BUILD_MS);

  afterAll(async () => {
    for (const each of processes.reverse()) await each.stop();
    if (dir) rmSync(dir, { recursive: true, force: true });
  });

  const isAvailable = () =>
    stage.kubectl.ok(['wait', '--for=condition=Available', `apiservice/${NAME}`, '--timeout=50s']);

  test('is found to be there', async () => {
    await isAvailable();
    const lines = (await stage.kubectl.ok(['get', 'apiservices']))
      .split('\n')
      .map((line) => line.split(/\s+/).slice(0, 3));
    expect(lines).toEqual(
      expect.arrayContaining([
        ['v1.', 'Local', 'True'],
        ['v1.apps', 'Local', 'True'],
        [NAME, 'app/api', 'True'],
      ]),
    );
  }, 60_000);

  test('tells of its kinds', async () => {
    const kinds = async () => stage.kubectl.ok(['api-resources', '--api-group=wardle.example.com', '--cached=false']);
    await expect.poll(kinds, { timeout: 20_000 }).toMatch(/flunders .*true +Flunder/);
    const explain = () => stage.kubectl.ok(['explain', 'flunder.spec']);
    await expect.poll(explain, { timeout: 20_000 }).toContain('referenceType');
  }, 60_000);

  test('has its objects made, read, changed, watched and deleted', async () => {
    await stage.kubectl.ok(['-n', 'app', 'create', '-f', '-'], { input: flunder('one', 'two') });
    const reference = ['get', 'flunder', 'one', '-o', 'jsonpath={.spec.reference}'];
    expect(await stage.app(...reference)).toBe('two');
    await stage.kubectl.ok(['-n', 'app', 'apply', '--server-side', '--force-conflicts', '-f', '-'], {
      input: flunder('one', 'three'),
    });
    expect(await stage.app(...reference)).toBe('three');
    await stage.app('label', 'flunder', 'one', 'tier=front');
    const watched = stage.kubectl.until(['-n', 'app', 'get', 'flunders', '--watch'], (out) =>
      /one\b.*later/s.test(out),
    );
    await expect
      .poll(() => stage.app('get', 'flunders', '-l', 'tier=front', '-o', 'name'))
      .toContain('flunder.wardle.example.com/one');
    await stage.kubectl.ok(['-n', 'app', 'create', '-f', '-'], { input: flunder('later') });
    expect(await watched).toContain('later');
    await stage.app('delete', 'flunder', 'one', 'later');
    expect(await stage.app('get', 'flunders', '-o', 'name')).toBe('');
  }, 60_000);

  test('refuses what its own rules are against', async () => {
    const fischer = {
      apiVersion: 'wardle.example.com/v1alpha1',
      kind: 'Fischer',
      metadata: { name: 'f' },
      disallowedFlunders: ['no'],
    };
    await stage.kubectl.ok(['create', '-f', '-'], { input: JSON.stringify(fischer) });
    const refused = () =>
      stage.kubectl.refused(['-n', 'app', 'create', '--dry-run=server', '-f', '-'], { input: flunder('no') });
    await expect.poll(() => refused().catch(() => ''), { timeout: 20_000 }).toContain('(Forbidden)');
  }, 60_000);

  test('asks this server who callers of its own are, and what they may', async () => {
    const asked = (authorization?: string) =>
      statusOf(port, '/apis/wardle.example.com/v1alpha1/flunders', authorization);
    await expect.poll(() => asked(`Bearer ${stage.server.token}`), { timeout: 20_000 }).toBe(200);
    expect([await asked('Bearer nobody'), await asked()]).toEqual([401, 403]);
  }, 60_000);

  test('is not there when it is gone, and nobody else is slowed; and is when it comes again', async () => {
    const [server] = processes.filter(({ name }) => name === 'sample-apiserver');
    await server?.kill('SIGKILL');
    const down = ['wait', '--for=condition=Available=false', `apiservice/${NAME}`, '--timeout=50s'];
    expect(await stage.kubectl.refused(['-n', 'app', 'get', 'flunders'])).toMatch(/ServiceUnavailable/);
    await stage.kubectl.ok(down);
    // Discovery by the client itself too: it knows of what is not there, and goes on.
    const began = performance.now();
    await stage.app('get', 'configmaps', `--cache-dir=${join(dir, 'fresh')}`);
    expect(performance.now() - began).toBeLessThan(5_000);
    await server?.start();
    await isAvailable();
    await expect.poll(() => stage.app('get', 'flunders', '-o', 'name').catch(String), { timeout: 20_000 }).toBe('');
  }, 120_000);
});

const answers = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    get(url, (res) => resolve(res.resume().statusCode === 200)).on('error', () => resolve(false));
  });

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(Boolean(socket.end())));
    socket.on('error', () => resolve(false));
  });

const statusOf = (port: number, path: string, authorization?: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = authorization === undefined ? {} : { authorization };
    const options = { port, path, headers, rejectUnauthorized: false, agent: false };
    getSecurely(options, (res) => resolve(res.resume().statusCode)).on('error', reject);
  });
