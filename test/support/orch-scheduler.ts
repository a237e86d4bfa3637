import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { writeKubeconfig } from '@orch/client';
import { EXECUTABLE, freePorts, ManagedProcess } from '../../tools/up/index.js';
import type { Api } from './api.js';
import type { Standalone } from './standalone.js';

/** Settings of {@link startScheduler}. */
export interface SchedulerSettings {
  /** Token of the user that it is. Default: the administrator's. */
  readonly token?: string;
  /** Fields of its KubeSchedulerConfiguration. */
  readonly configuration?: object;
  /** Further options. */
  readonly args?: readonly string[];
}

/** A running `orch scheduler`. */
export interface RunningScheduler {
  readonly process: ManagedProcess;
  /** Its HTTPS port. */
  readonly port: number;
  /** Returns what it has logged. */
  readonly log: () => string;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

/** Starts `orch scheduler` against a server; resolves when it serves its port. */
export async function startScheduler(server: Standalone, settings: SchedulerSettings = {}): Promise<RunningScheduler> {
  const { token = server.token, configuration = {}, args = [] } = settings;
  const dir = mkdtempSync(join(tmpdir(), 'orch-scheduler-'));
  const [kubeconfig, config] = [join(dir, 'kubeconfig'), join(dir, 'scheduler.json')];
  await writeKubeconfig(kubeconfig, { server: server.url, ca: server.ca, token });
  const document = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
  writeFileSync(config, JSON.stringify({ ...document, ...configuration }));
  const [port = 0] = await freePorts(1);
  const own = [`--kubeconfig=${kubeconfig}`, `--config=${config}`, `--naming=${server.naming}`];
  const process_ = new ManagedProcess({
    name: 'scheduler',
    command: process.execPath,
    args: [EXECUTABLE, 'scheduler', ...own, '--bind-address=127.0.0.1', `--secure-port=${port}`, ...args],
    cwd: dir,
    logFile: join(dir, 'scheduler.log'),
    ready: () => answers(port),
  });
  await process_.start();
  return {
    ...{ process: process_, port, log: () => readFileSync(process_.logFile, 'utf8') },
    async stop() {
      await process_.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

const answers = (port: number): Promise<boolean> =>
  askPort(port, '/healthz').then(
    ({ status }) => status === 200,
    () => false,
  );

/** Asks the HTTPS port of a scheduler, whose certificate nobody vouches for. @param token bearer token */
export function askPort(port: number, path: string, token?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const options = { host: '127.0.0.1', port, path, headers, rejectUnauthorized: false, agent: false };
    request(options, (response) => {
      text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

/** Settings of {@link addReadyNode}. */
export interface ReadyNode {
  /** Labels beside that of its name. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Default: 4 CPUs, 8 GiB, 110 pods. */
  readonly allocatable?: Readonly<Record<string, string>>;
}

/** Makes a node that is ready. */
export async function addReadyNode(api: Api, name: string, node: ReadyNode = {}): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name, ...node.labels };
  await api.post('/api/v1/nodes', { metadata: { name, labels } });
  const { allocatable = { cpu: '4', memory: '8Gi', pods: '110' } } = node;
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Test', message: '' }];
  const status = { allocatable, capacity: allocatable, conditions };
  await api.patch(`/api/v1/nodes/${name}/status`, 'merge', { status });
  // Nodes are made with a taint until a controller has seen that they are ready.
  await api.patch(`/api/v1/nodes/${name}`, 'merge', { spec: { taints: null } });
}
