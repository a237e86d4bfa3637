import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { EXECUTABLE, freePort, ManagedProcess, waitUntil } from '../../tools/up/index.js';
import { installForNodes } from '../on-cluster/namespaces.js';
import { removeEmptiedGroup } from '../on-cluster/place.js';
import { Api, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { IMAGES, packImages } from './busybox-image.js';
import { Containerd } from './containerd.js';
import { programsOf, type Remains, remainsOf } from './remains.js';

const PODS = '/api/v1/namespaces/default/pods';
/** Limit for what takes seconds on a machine that has nothing else to do, ms. */
const LONG_MS = 90_000;

/** Runtimes that nodes of tests have. */
export type RuntimeKind = 'containerd' | 'processes';

/** Settings of a {@link NodeRig}. */
interface NodeRigSettings {
  /** Further options of the agent. */
  readonly args?: readonly string[];
  /** Variables of the agent's environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether it has a folder of manifests of static pods. */
  readonly manifests?: boolean;
  /** Folder of the agent's state; one of its own in the folder of the rig otherwise. */
  readonly root?: string;
  /** Folder of containerd; one of its own in the folder of the rig otherwise. */
  readonly store?: string;
}

/** A server, and a real `orch node-agent` whose node is this machine, with a runtime of its own. */
export class NodeRig {
  /** Folder of everything. Its name is in the command lines of all processes of the node. */
  readonly dir = mkdtempSync(join(tmpdir(), 'node-rig-'));
  /** Begin of the names of pods, which no other test on this machine has. */
  readonly prefix = basename(this.dir).slice('node-rig-'.length).toLowerCase();
  /** Folder of the journals of containers. */
  readonly journals = join(this.dir, 'journals');
  /** The agent; it is not started with the rig. */
  agent!: ManagedProcess;
  /** The server. */
  server!: Standalone;
  /** Client of the server. */
  api!: Api;
  /** The containerd of the node; undefined where containers are processes. */
  containerd: Containerd | undefined;

  private constructor(
    readonly kind: RuntimeKind,
    private readonly settings: NodeRigSettings,
  ) {}

  /** Starts a server and a runtime. */
  static async open(kind: RuntimeKind, settings: NodeRigSettings = {}): Promise<NodeRig> {
    installForNodes('busybox-static', 'bubblewrap');
    const rig = new NodeRig(kind, settings);
    for (const folder of [rig.journals, rig.manifests]) mkdirSync(folder);
    if (kind === 'containerd') {
      rig.containerd = new Containerd(settings.store ?? join(rig.dir, 'containerd'));
      await rig.containerd.start();
    } else packImages(join(rig.dir, 'images'));
    rig.server = await startStandalone();
    rig.api = new Api(rig.server);
    rig.agent = await rig.#makeAgent();
    return rig;
  }

  /** Options of the agent. */
  get args(): string[] {
    const { containerd, dir } = this;
    return [
      ...['--naming=kubernetes', '--hostname-override=n1', `--root-dir=${this.root}`, '--resolv-conf='],
      ...[`--cgroup-root=${this.cgroup}`, '--make-iptables-util-chains=false', '--healthz-port=0', '--oom-score-adj=0'],
      ...['--fail-swap-on=false', '--image-gc-high-threshold=100', `--cert-dir=${join(dir, 'certificates')}`],
      containerd ? `--container-runtime-endpoint=unix://${containerd.socket}` : '--container-runtime-endpoint=process:',
      ...[`--process-images=${join(dir, 'images')}`, `--pod-logs-dir=${this.logs}`],
      ...(this.settings.manifests ? [`--pod-manifest-path=${this.manifests}`] : []),
      ...(this.settings.args ?? ['--eviction-hard=']),
    ];
  }

  /** Folder of the agent's state. */
  get root(): string {
    return this.settings.root ?? join(this.dir, 'root');
  }

  /** Folder of the logs of pods: the agent of another node on this machine would remove those that it does not know. */
  get logs(): string {
    return join(this.root, 'logs');
  }

  /** Folder of the manifests of static pods. */
  get manifests(): string {
    return join(this.dir, 'manifests');
  }

  /** Control group of all pods. */
  get cgroup(): string {
    return `/${basename(this.dir)}`;
  }

  async #makeAgent(): Promise<ManagedProcess> {
    const args = [`--kubeconfig=${this.server.kubeconfig}`, `--port=${await freePort()}`, ...this.args];
    return new ManagedProcess({
      ...{ name: 'agent', command: process.execPath, args: [EXECUTABLE, 'node-agent', ...args] },
      logFile: join(this.dir, 'agent.log'),
      ready: async () => true,
      ...(this.settings.env && { env: this.settings.env }),
    });
  }

  /** Returns a pod; undefined if there is none. */
  async pod(name: string): Promise<ApiObject | undefined> {
    const { status, text } = await this.api.get(`${PODS}/${this.nameOf(name)}`);
    if (status !== 200 && status !== 404) throw new Error(text);
    return status === 404 ? undefined : (JSON.parse(text) as ApiObject);
  }

  /** Returns all pods. */
  async pods(): Promise<readonly ApiObject[]> {
    return (JSON.parse((await this.api.get(PODS)).text) as { items: ApiObject[] }).items;
  }

  /** Returns the name in the API of a pod of the rig. */
  nameOf(name: string): string {
    return `${this.prefix}-${name}`;
  }

  /** Makes a pod that is bound to the node. */
  async create(name: string, spec: object): Promise<void> {
    const own = { nodeName: 'n1', terminationGracePeriodSeconds: 10, automountServiceAccountToken: false };
    const metadata = { name: this.nameOf(name) };
    const body = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { ...own, ...spec } };
    const { status, text } = await this.api.post(PODS, body);
    if (status !== 201) throw new Error(text);
  }

  /** Deletes a pod. */
  async delete(name: string): Promise<void> {
    await this.api.delete(`${PODS}/${this.nameOf(name)}`);
  }

  /** A container that runs a script of the shell, whose journals are in `/journals`. */
  container(name: string, script: string, more: object = {}): object {
    return {
      ...{ name, image: IMAGES.busybox, imagePullPolicy: 'Never' },
      command: ['sh', '-c', script, basename(this.dir)],
      volumeMounts: [{ name: 'journals', mountPath: '/journals' }],
      ...more,
    };
  }

  /** Volumes that {@link container} needs. */
  get volumes(): object[] {
    return [{ name: 'journals', hostPath: { path: this.journals } }];
  }

  /** Lines of a journal. */
  journal(name: string): string[] {
    const path = join(this.journals, name);
    return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
  }

  /** Number of programs of containers that run now whose script has a text. */
  programs(text: string): number {
    return programsOf(basename(this.dir), text);
  }

  /** Waits until all pods run, as the API says. */
  async allRun(count: number, timeoutMs = LONG_MS): Promise<void> {
    await waitUntil(`${count} pods run`, timeoutMs, async () => {
      const running = (await this.pods()).filter(({ status }) => status.phase === 'Running');
      return running.length === count;
    });
  }

  /** Waits until the API has no pod any more. */
  async noneLeft(timeoutMs = LONG_MS): Promise<void> {
    await waitUntil('no pod is left', timeoutMs, async () => (await this.pods()).length === 0);
  }

  /** Whether the node is ready, and why not. */
  async ready(): Promise<{ readonly status: string; readonly message: string }> {
    const { status, text } = await this.api.get('/api/v1/nodes/n1');
    if (status !== 200) return { status: 'Unknown', message: text };
    const conditions = (JSON.parse(text) as ApiObject).status.conditions ?? [];
    return conditions.find(({ type }: { type: string }) => type === 'Ready') ?? { status: 'Unknown', message: '' };
  }

  /** Number of requests that the server has answered so far. */
  async requests(): Promise<number> {
    const { text } = await this.api.get('/metrics');
    const counts = [...text.matchAll(/^apiserver_request_total\{.*\} (\d+)/gm)];
    return counts.reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** What there is of pods on the machine now. */
  async remains(): Promise<Remains> {
    return remainsOf({
      ...{ dir: this.dir, root: this.root, logs: this.logs, cgroup: this.cgroup },
      ...(this.containerd && { containerd: this.containerd }),
    });
  }

  /** Deletes all pods, ends the agent and everything else. */
  async close(): Promise<void> {
    try {
      if (!this.agent.running) await this.agent.start();
      for (const name of readdirSync(this.manifests)) rmSync(join(this.manifests, name));
      for (const { metadata } of await this.pods()) await this.api.delete(`${PODS}/${metadata.name}`);
      await this.noneLeft();
    } finally {
      await this.agent.stop();
      await this.containerd?.stop();
      this.api.close();
      await this.server.stop();
      this.#endProcesses();
      await removeEmptiedGroup(basename(this.cgroup));
      if (process.env.KEEP === undefined) rmSync(this.dir, { recursive: true, force: true });
    }
  }

  /** Kills processes of containers that a test that failed has left. */
  #endProcesses(): void {
    const containers = join(this.root, 'processes/containers');
    for (const id of existsSync(containers) ? readdirSync(containers) : []) {
      const progress = join(containers, id, 'progress.json');
      if (!existsSync(progress)) continue;
      const { supervisor, finishedAt } = JSON.parse(readFileSync(progress, 'utf8'));
      if (finishedAt === undefined && existsSync(`/proc/${supervisor.pid}`)) process.kill(supervisor.pid, 'SIGKILL');
    }
  }
}
