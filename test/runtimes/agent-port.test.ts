import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get as getPlain } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
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
import type { Pod } from '@orch/schema/types/core/v1';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { Api, type ApiObject } from '../support/api.js';
import { ownAddress } from '../support/node-agent.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { IMAGES, packImages } from './busybox-image.js';
import { Containerd } from './containerd.js';

const PODS = '/api/v1/namespaces/default/pods';
const BIN = '/usr/lib/google-cloud-sdk/bin';
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
  return { runtime, stop: () => runtime.close().then(() => containerd.stop()) };
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
    await expect.poll(async () => (await pod(name)).status.phase, { timeout: 30_000 }).toBe('Running');
  };
  const kubectl = (version: string, args: readonly string[], input?: string): Promise<Ended> =>
    new Promise((resolve) => {
      const child = execFile(
        join(BIN, `kubectl.${version}`),
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
    server = await startStandalone();
    api = new Api(server);
    opened = await open(dir);
    const connection = await readKubeconfig(server.kubeconfig);
    const client = () => new Client(connection, { names: NAMES, qps: -1 });
    clients = [client(), client(), client()];
    const [pods, heartbeats, events] = clients as [Client, Client, Client];
    const address = ownAddress();
    const pki = (name: string) =>
      ensurePki({ certDir: join(dir, name), bindAddress: address, names: { apiServiceName: 'agent' }, extraHosts: [] });
    const [own, other] = [await pki('own'), await pki('other')];
    [known, foreign] = [own.admin, other.admin];
    const authorities = join(dir, 'clients.crt');
    writeFileSync(authorities, `${own.ca.cert}\n${server.ca}`);
    const { values: options } = readAgentOptions(
      [
        ...['--naming=kubernetes', '--hostname-override=n1', `--root-dir=${join(dir, 'root')}`, `--node-ip=${address}`],
        ...['--resolv-conf=', `--cgroup-root=${cgroup}`, `--port=${await freePort()}`, `--address=${address}`],
        ...['--anonymous-auth=false', '--authorization-mode=Webhook', '--authentication-token-webhook'],
        ...[`--client-ca-file=${authorities}`, `--healthz-port=${await freePort()}`],
        `--container-runtime-endpoint=${endpoint}`,
      ],
      {},
      () => '',
    );
    let current: readonly Pod[] = [];
    agent = await NodeAgent.start({
      ...{ options, clients: { pods, heartbeats, events }, runtime: opened.runtime, mounter: systemMounter },
      ...{ podLogs: join(dir, 'logs'), clock: systemClock, logger: silentLogger },
    });
    const refresh = async () => {
      current = (JSON.parse((await api.get(PODS)).text) as { items: Pod[] }).items;
    };
    void refresh;
    port = await AgentServer.open({
      ...{ options, runtime: opened.runtime, client: pods, names: NAMES, metrics: new Metrics(), logger: silentLogger },
      agent: {
        nodeName: 'n1',
        pods: () => current,
        syncProblem: () => undefined,
        configuration: () => ({ kind: 'KubeletConfiguration' }),
      },
      pair: () => own.serving,
    });
    await port.start();
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
});
