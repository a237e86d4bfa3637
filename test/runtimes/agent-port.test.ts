import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { NodeAgent, readAgentOptions } from '@orch/agent';
import { AgentServer } from '@orch/agent-server';
import { ensurePki } from '@orch/authentication';
import { Client, readKubeconfig } from '@orch/client';
import { CriRuntime, ProcessRuntime, type Runtime } from '@orch/container-runtime';
import { namesOf } from '@orch/machinery';
import { systemMounter } from '@orch/pod-environment';
import { Metrics, silentLogger, systemClock } from '@orch/runtime';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findKubectl, type KubectlRelease } from '../clients/kubectl.js';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { Api, type ApiObject } from '../support/api.js';
import { ownAddress } from '../support/node-agent.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { IMAGES, packImages } from './busybox-image.js';
import { Containerd } from './containerd.js';
import { NetworkBridge } from './network-bridge.js';

const PODS = '/api/v1/namespaces/default/pods';
const NAMES = namesOf('kubernetes');

interface Opened {
  readonly runtime: Runtime;
  stop(): Promise<void>;
}

async function openContainerd(dir: string): Promise<Opened> {
  installForNodes('busybox-static');
  const containerd = new Containerd(join(dir, 'containerd'));
  await containerd.start();
  const runtime = new CriRuntime({ socket: containerd.socket });
  // It has a network of its own, whose loopback address the URLs of its streams name.
  const bridge = await NetworkBridge.open(`containerd --config ${dir}`, dir);
  const stop = async () => {
    bridge.stop();
    await runtime.close();
    await containerd.stop();
  };
  return { runtime: bridge.reaching(runtime), stop };
}

async function openProcesses(dir: string): Promise<Opened> {
  installForNodes('busybox-static', 'bubblewrap');
  const images = join(dir, 'images');
  packImages(images);
  const onError = (error: Error) => expect.fail(error.message);
  const runtime = await ProcessRuntime.open({ folder: join(dir, 'state'), images, isolation: 'namespaces', onError });
  return { runtime, stop: () => runtime.close() };
}

/** A port that is free now: the node tells it before anything listens on it. */
async function freePort(): Promise<number> {
  const holder = createServer().listen(0);
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  holder.close();
  await once(holder, 'close');
  return port;
}

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe.each([
  ['processes', openProcesses, 'process:'],
  ['containerd', openContainerd, 'unix:///containerd.sock'],
] as const)('the port of an agent on %s', (_name, open, endpoint) => {
  const cgroup = `/orch-port-${process.pid}`;
  const children: ChildProcess[] = [];
  let dir: string;
  let server: Standalone;
  let api: Api;
  let opened: Opened;
  let agent: NodeAgent;
  let port: AgentServer;
  let clients: Client[];
  let foreign: { readonly cert: string; readonly key: string };
  let known: { readonly cert: string; readonly key: string };

  const pod = async (name: string): Promise<ApiObject> => JSON.parse((await api.get(`${PODS}/${name}`)).text);
  const create = async (name: string, script: string, container: object = {}) => {
    const body = {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
      spec: {
        ...{ nodeName: 'n1', terminationGracePeriodSeconds: 1, automountServiceAccountToken: false },
        containers: [
          { name: 'c', image: IMAGES.busybox, imagePullPolicy: 'Never', command: ['sh', '-c', script], ...container },
        ],
      },
    };
    expect(await api.post(PODS, body)).toMatchObject({ status: 201 });
    // Not expect.poll, which hooks may not call.
    await vi.waitFor(async () => expect((await pod(name)).status.phase).toBe('Running'), {
      timeout: 30_000,
      interval: 100,
    });
  };
  const kubectl = (version: KubectlRelease, args: readonly string[], input?: string): Promise<Ended> =>
    new Promise((resolve) => {
      const child = execFile(
        findKubectl(version),
        ['--kubeconfig', server.kubeconfig, ...args],
        { maxBuffer: 64 << 20 },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
      );
      child.stdin?.on('error', () => undefined).end(input);
    });
  /** Asks the port itself. */
  const ask = (path: string, options: object = {}): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const target = { host: ownAddress(), port: port.port, path, rejectUnauthorized: false, agent: false };
      const sent = request({ ...target, ...options }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          body += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
      });
      sent.once('error', reject).end();
    });

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'agent-port-'));
    const address = ownAddress();
    const pki = (name: string) =>
      ensurePki({ certDir: join(dir, name), bindAddress: address, names: { apiServiceName: 'agent' }, extraHosts: [] });
    const [own, other] = [await pki('own'), await pki('other')];
    [known, foreign] = [own.admin, other.admin];
    const file = (name: string, text: string) => {
      writeFileSync(join(dir, name), text);
      return join(dir, name);
    };
    server = await startStandalone({
      args: [
        '--kubelet-preferred-address-types=InternalIP',
        `--kubelet-client-certificate=${file('client.crt', known.cert)}`,
        `--kubelet-client-key=${file('client.key', known.key)}`,
        `--kubelet-certificate-authority=${file('ca.crt', own.ca.cert)}`,
      ],
    });
    api = new Api(server);
    opened = await open(dir);
    const connection = await readKubeconfig(server.kubeconfig);
    const client = () => new Client(connection, { names: NAMES, qps: -1 });
    clients = [client(), client(), client()];
    const [pods, heartbeats, events] = clients as [Client, Client, Client];
    const authorities = file('clients.crt', `${own.ca.cert}\n${server.ca}`);
    const { values: options } = readAgentOptions(
      [
        ...['--naming=kubernetes', '--hostname-override=n1', `--root-dir=${join(dir, 'root')}`, `--node-ip=${address}`],
        ...['--resolv-conf=', `--cgroup-root=${cgroup}`, `--port=${await freePort()}`, `--address=${address}`],
        ...['--anonymous-auth=false', '--authorization-mode=Webhook', '--authentication-token-webhook'],
        ...[`--client-ca-file=${authorities}`, `--healthz-port=${await freePort()}`],
        // The machine of tests may have little room, and keeps its packet filter.
        ...['--eviction-hard=', '--image-gc-high-threshold=100', '--make-iptables-util-chains=false'],
        `--container-runtime-endpoint=${endpoint}`,
      ],
      {},
      () => '',
    );
    agent = await NodeAgent.start({
      ...{ options, clients: { pods, heartbeats, events }, runtime: opened.runtime, mounter: systemMounter },
      ...{ podLogs: join(dir, 'logs'), clock: systemClock, logger: silentLogger },
    });
    port = await AgentServer.open({
      ...{ options, runtime: opened.runtime, client: pods, names: NAMES, metrics: new Metrics(), logger: silentLogger },
      clock: systemClock,
      agent: {
        nodeName: 'n1',
        pods: () => agent.pods(),
        syncProblem: () => agent.syncProblem(),
        usage: agent.usage,
        probes: () => agent.probes(),
        configuration: () => ({ kind: 'KubeletConfiguration' }),
      },
      pair: () => own.serving,
    });
    await port.start();
    await create('web', 'echo begun; trap "exit 0" TERM; while true; do sleep 0.2; done');
  });

  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    const { items = [] } = JSON.parse((await api.get(PODS)).text) as { items: ApiObject[] };
    for (const { metadata } of items) await api.delete(`${PODS}/${metadata.name}`);
    while ((await opened.runtime.listSandboxes()).length > 0) await new Promise((resolve) => setImmediate(resolve));
    await port.stop();
    await agent.stop();
    for (const client of clients) await client.close();
    await opened.stop();
    await server.stop();
    await removeEmptiedGroup(basename(cgroup));
    rmSync(dir, { recursive: true, force: true });
  });

  const RELEASES = ['1.27', '1.33'] as const satisfies readonly KubectlRelease[];

  test('runs commands with their input, their output and their exit code', async () => {
    for (const release of RELEASES) {
      const script = 'cat; echo err >&2; exit 7';
      const done = await kubectl(release, ['exec', '-i', 'web', '--', 'sh', '-c', script], 'given');
      expect({ release, ...done }).toEqual({
        release,
        code: 7,
        stdout: 'given',
        stderr: expect.stringContaining('err\n'),
      });
      const fine = await kubectl(release, ['exec', 'web', '--', 'echo', 'fine']);
      expect(fine).toMatchObject({ code: 0, stdout: 'fine\n' });
    }
  });

  test('passes megabytes unchanged', async () => {
    const text = 'x'.repeat(8 << 20);
    for (const release of RELEASES) {
      const { stdout } = await kubectl(release, ['exec', '-i', 'web', '--', 'wc', '-c'], text);
      expect(stdout.trim()).toBe(String(8 << 20));
      const output = await kubectl(release, ['exec', 'web', '--', 'head', '-c', '8388608', '/dev/zero']);
      expect([output.code, output.stdout.length]).toEqual([0, 8 << 20]);
    }
  });

  test('shows logs: the end, since a time, with times, of the run before, and as they are written', async () => {
    await create(
      'talker',
      'for i in 1 2 3 4 5; do echo line $i; done; printf half; sleep 2; echo; echo more; exec sleep 1000',
    );
    for (const release of RELEASES) {
      const tail = await kubectl(release, ['logs', 'web', '--tail=1']);
      expect(tail.stdout).toBe('begun\n');
      const timed = await kubectl(release, ['logs', 'web', '--timestamps']);
      expect(timed.stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+\S+ begun\n$/);
      const none = await kubectl(release, ['logs', 'web', '--since-time=2999-01-01T00:00:00Z']);
      expect(none).toMatchObject({ code: 0, stdout: '' });
      const limited = await kubectl(release, ['logs', 'web', '--limit-bytes=3']);
      expect(limited.stdout).toBe('beg');
      const previous = await kubectl(release, ['logs', 'web', '--previous']);
      expect(previous.stderr).toContain('previous terminated container "c" in pod "web" not found');
    }
    const child = spawn(findKubectl('1.27'), ['--kubeconfig', server.kubeconfig, 'logs', '-f', 'talker']);
    children.push(child);
    let text = '';
    child.stdout.on('data', (piece) => {
      text += piece;
    });
    await expect.poll(() => text, { timeout: 20_000 }).toContain('line 5\nhalf\nmore\n');
    await api.delete(`${PODS}/talker`);
    await once(child, 'exit');
  });

  test('shows the log of the run before', async () => {
    await create('again', 'echo run; sleep 1; exit 1');
    const previous = () => kubectl('1.33', ['logs', 'again', '--previous']).then(({ stdout }) => stdout);
    await expect.poll(previous, { timeout: 40_000, interval: 1000 }).toBe('run\n');
  });

  test('forwards ports', async () => {
    const inner = await freePort();
    await create('echo', `while true; do echo answer | nc -l -p ${inner}; done`);
    for (const release of RELEASES) {
      const outer = await freePort();
      const child = spawn(findKubectl(release), [
        ...['--kubeconfig', server.kubeconfig, 'port-forward', 'pod/echo', `${outer}:${inner}`],
      ]);
      children.push(child);
      await expect.poll(() => readFrom(outer), { timeout: 20_000, interval: 500 }).toBe('answer\n');
      child.kill();
      await once(child, 'exit');
    }
  });

  test('attaches to a container', async () => {
    await create('reader', 'while read line; do echo "got $line"; done', { stdin: true, stdinOnce: false });
    for (const release of RELEASES) {
      const child = spawn(findKubectl(release), ['--kubeconfig', server.kubeconfig, 'attach', '-i', 'reader']);
      children.push(child);
      let text = '';
      child.stdout.on('data', (piece) => {
        text += piece;
      });
      const say = () => {
        child.stdin.write(`of ${release}\n`);
        return text;
      };
      await expect.poll(say, { timeout: 20_000, interval: 500 }).toContain(`got of ${release}\n`);
      child.kill();
      await once(child, 'exit');
    }
  });

  test('asks who calls, and whether that is allowed', async () => {
    expect(await ask('/pods')).toEqual({ status: 401, body: 'Unauthorized' });
    expect(await ask('/pods', foreign)).toEqual({ status: 401, body: 'Unauthorized' });
    expect(await ask('/pods', { headers: { authorization: 'Bearer nobody' } })).toMatchObject({ status: 401 });
    const bearer = { headers: { authorization: `Bearer ${server.token}` } };
    expect(await ask('/pods', bearer)).toMatchObject({ status: 200 });
    const user = 'apiVersion: v1\nkind: ServiceAccount\nmetadata: { name: little }\n';
    await kubectl('1.33', ['apply', '-f', '-'], user);
    const { stdout: token } = await kubectl('1.33', ['create', 'token', 'little']);
    const little = { headers: { authorization: `Bearer ${token.trim()}` } };
    const who = 'system:serviceaccount:default:little';
    expect(await ask('/pods', little)).toEqual({
      status: 403,
      body: `Forbidden (user=${who}, verb=get, resource=nodes, subresource=proxy)`,
    });
    expect(await ask('/metrics/resource', little)).toMatchObject({
      body: `Forbidden (user=${who}, verb=get, resource=nodes, subresource=metrics)`,
    });
    expect(await ask('/exec/default/web/c?command=id&output=1', { ...little, method: 'POST' })).toMatchObject({
      body: `Forbidden (user=${who}, verb=create, resource=nodes, subresource=proxy)`,
    });
  });

  test('tells its pods, its statistics and its metrics', async () => {
    const all = JSON.parse((await ask('/pods', known)).body);
    expect(all.items.map(({ metadata }: ApiObject) => metadata.name)).toContain('web');
    expect(JSON.parse((await ask('/runningpods/', known)).body).kind).toBe('PodList');
    expect(JSON.parse((await ask('/configz', known)).body)).toHaveProperty('kubeletconfig');
    const summary = JSON.parse((await ask('/stats/summary', known)).body);
    expect(summary.node).toMatchObject({ nodeName: 'n1', cpu: { usageCoreNanoSeconds: expect.any(Number) } });
    const web = summary.pods.find((each: { podRef: { name: string } }) => each.podRef.name === 'web');
    expect(web).toMatchObject({ podRef: { namespace: 'default' }, containers: [{ name: 'c' }] });
    const resource = (await ask('/metrics/resource', known)).body;
    expect(resource).toMatch(/^node_cpu_usage_seconds_total \d+/m);
    expect(resource).toMatch(/^container_memory_working_set_bytes\{container="c",namespace="default",pod="web"\} \d+/m);
    expect(resource).toMatch(/^scrape_error 0$/m);
    expect((await ask('/metrics/cadvisor', known)).body).toContain('container_cpu_usage_seconds_total{');
    expect(await ask('/metrics/probes', known)).toMatchObject({ status: 200 });
    expect(await ask('/healthz', known)).toEqual({ status: 200, body: 'ok' });
    expect(await ask('/checkpoint/default/web/c', known)).toMatchObject({ status: 404 });
    expect(await ask('/logs/..%2f..%2fetc%2fpasswd', known)).toMatchObject({ status: 404 });
    const run = await ask('/run/default/web/c?cmd=echo%20ran', { ...known, method: 'POST' });
    expect(run).toEqual({ status: 200, body: 'ran\n' });
  });

  test('tells of its health without credentials, on a port of its own', async () => {
    const status = await new Promise((resolve, reject) => {
      getPlain({ host: '127.0.0.1', port: port.healthPort, path: '/healthz' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on('error', reject);
    });
    expect(status).toBe(200);
  });

  test('stands hostile connections', async () => {
    const before = process.memoryUsage().rss;
    const sockets = Array.from({ length: 100 }, () => {
      const socket = connectTls({ host: ownAddress(), port: port.port, rejectUnauthorized: false, ...known });
      socket.on('error', () => undefined).resume();
      return socket;
    });
    const path = '/exec/default/web/c?command=cat&input=1&output=1';
    for (const [index, socket] of sockets.entries()) {
      if (index % 2 === 0) socket.write(`GET /pods HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(200_000)}\r\n\r\n`);
      else socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`);
    }
    const junk = Buffer.alloc(64 << 10, 0x80);
    for (const socket of sockets) socket.write(junk);
    await Promise.all(sockets.filter((_socket, index) => index % 2 === 0).map(closed));
    for (const socket of sockets) socket.destroy();
    expect(await ask('/healthz', known)).toEqual({ status: 200, body: 'ok' });
    expect(process.memoryUsage().rss - before).toBeLessThan(256 << 20);
  });
});

const closed = (socket: Socket) =>
  new Promise<void>((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  });

/** What comes on a connection to a port of this machine; empty where there is none. */
function readFrom(port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => undefined);
    socket.on('data', (piece) => {
      text += piece;
      socket.end();
    });
    socket.on('error', () => undefined).once('close', () => resolve(text));
  });
}
