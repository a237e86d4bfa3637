import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { ManagedProcess, waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import type { ControlPlane } from './control-plane.js';
import { type AgentName, agentCommand, type Command } from './node-agents.js';
import { bind, makeControlGroup, put } from './place.js';
import type { BuiltPrograms } from './programs.js';

const SOCKET = 'run/containerd/containerd.sock';
/** Folders that kubelets and containerd use, wherever they are told to keep the rest; each node has its own. */
const OWN_FOLDERS = [
  ...['/var/lib/kubelet', '/etc/containerd', '/run/containerd', '/run/netns'],
  ...['/var/log/pods', '/var/log/containers'],
];
const READY_MS = 180_000;

/** Name and address of a node, and where it gets images. */
export interface NodeSettings {
  readonly name: string;
  readonly address: string;
  /** What keeps the namespaces of a pod. */
  readonly sandboxImage: string;
  /** Registries that are asked in place of those that images name: a folder for each host, as containerd reads it. */
  readonly registries?: string;
  /** Who runs its pods. Default: the kubelet of the release. */
  readonly agent?: AgentName;
  /** Whether it is the only node, whose mounts are seen by all processes of the place, as on a machine. Default: no. */
  readonly isOnly?: boolean;
}

/** A node: containerd and what runs its pods in mounts of their own, as processes of this machine. */
export class Node {
  readonly processes: ManagedProcess[] = [];
  readonly name: string;
  readonly #dir: string;
  #holder = 0;
  #kubelet: ManagedProcess | undefined;

  constructor(
    private readonly settings: NodeSettings,
    private readonly dir: string,
    private readonly programs: Pick<BuiltPrograms, 'kubelet'>,
    private readonly plane: ControlPlane,
  ) {
    this.name = settings.name;
    this.#dir = join(dir, settings.name);
  }

  /** Starts everything, and brings the images; resolves when the node is ready. */
  async start(archives: readonly string[]): Promise<void> {
    makeControlGroup(this.#controlGroup);
    await this.#hold();
    await this.#run('containerd', 'containerd', ['--config', this.#containerd()], () => this.#answers());
    for (const archive of archives) await this.ctr('images', 'import', archive);
    const { command, args } = this.#agent();
    this.#kubelet = await this.#run('kubelet', command, args, async () => true);
    await this.#isReady();
  }

  /** Kills the kubelet; what it has started goes on. */
  async kill(): Promise<void> {
    await this.#kubelet?.kill('SIGKILL');
  }

  /** Starts the kubelet that was killed; resolves when the node is ready. */
  async comeBack(): Promise<void> {
    await this.#kubelet?.start();
    await this.#isReady();
  }

  async #isReady(): Promise<void> {
    await waitUntil(`${this.name} is ready`, READY_MS, () => this.#ready());
  }

  /** Runs the client of containerd to its end; resolves with what it prints. Rejects when it fails. */
  async ctr(...args: readonly string[]): Promise<string> {
    // It hands containerd the names of files that it makes itself.
    const within = ['--mount', `--target=${this.#holder}`, '--', 'ctr', '--address', `/${SOCKET}`];
    return (await promisify(execFile)('nsenter', [...within, '--namespace', 'k8s.io', ...args])).stdout;
  }

  /** Runs a command in a container of a pod; resolves with what it prints. Rejects when there is none or the command fails. */
  async exec(pod: string, container: string, command: readonly string[]): Promise<string> {
    const label = (name: string, value: string) => `labels."io.kubernetes.${name}"==${value}`;
    const filter = `${label('pod.uid', pod)},${label('container.name', container)}`;
    const [id = ''] = (await this.ctr('containers', 'ls', '-q', filter)).trim().split('\n');
    return this.ctr('tasks', 'exec', `--exec-id=${randomUUID()}`, id, ...command);
  }

  get #controlGroup(): string {
    return `/${basename(this.dir)}/${this.name}`;
  }

  /** Starts a process that keeps the mounts of the node. */
  async #hold(): Promise<void> {
    const mounts = ['mount --make-rshared /', ...OWN_FOLDERS.map((folder) => bind(this.#dir, folder))];
    const held = put(join(this.#dir, 'held'), '');
    const script = [...mounts, `echo held > ${held}`, 'exec sleep infinity'].join('\n');
    const holder = this.#process(
      'mounts',
      'unshare',
      ['--mount', `--propagation=${this.settings.isOnly ? 'unchanged' : 'private'}`, 'sh', '-ec', script],
      async () => readFileSync(held, 'utf8') !== '',
    );
    this.#holder = (await holder.start()).pid;
  }

  #answers(): Promise<boolean> {
    return this.ctr('version').then(
      () => true,
      () => false,
    );
  }

  async #ready(): Promise<boolean> {
    const api = new Api(this.plane.access);
    try {
      const answer = await api.get(`/api/v1/nodes/${this.name}`);
      if (answer.status !== 200) return false;
      const { status, spec } = answer.json();
      const conditions = (status.conditions ?? []) as { type: string; status: string }[];
      return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True') && !spec.taints;
    } finally {
      api.close();
    }
  }

  #containerd(): string {
    const cri = '[plugins."io.containerd.grpc.v1.cri"';
    const { registries } = this.settings;
    const lines = [
      'version = 2',
      `root = "${this.#dir}/containerd"`,
      'state = "/run/containerd"',
      '[grpc]',
      `address = "/${SOCKET}"`,
      `${cri}]`,
      `sandbox_image = "${this.settings.sandboxImage}"`,
      'restrict_oom_score_adj = true',
      'disable_apparmor = true',
      // Cases ask for a handler of that name, which does what the usual one does.
      ...['runc', 'test-handler'].flatMap((handler) => [
        `${cri}.containerd.runtimes.${handler}]`,
        'runtime_type = "io.containerd.runc.v2"',
      ]),
      `${cri}.cni]`,
      'bin_dir = "/usr/lib/cni"',
      'conf_dir = "/etc/cni/net.d"',
      ...(registries === undefined ? [] : [`${cri}.registry]`, `config_path = "${registries}"`]),
      '[plugins."io.containerd.internal.v1.opt"]',
      `path = "${this.#dir}/opt"`,
    ];
    // Cases look there for what it can do.
    return put(join(this.#dir, '/etc/containerd/config.toml'), `${lines.join('\n')}\n`);
  }

  #agent(): Command {
    const { name, address, agent = 'reference' } = this.settings;
    const settings = {
      ...{ name, address, dir: this.#dir, controlGroup: this.#controlGroup, socket: `/${SOCKET}` },
      ...{ kubeconfig: this.plane.kubeconfig(name), clientAuthority: this.plane.pki('ca.crt') },
      resolvConf: join(this.dir, 'resolv.conf'),
    };
    return agentCommand(agent, settings, this.programs.kubelet);
  }

  /** Starts a program within the mounts of the node. */
  #run(name: string, command: string, args: readonly string[], ready: () => Promise<boolean>): Promise<ManagedProcess> {
    const within = ['--mount', `--target=${this.#holder}`, '--', command, ...args];
    return this.#process(name, 'nsenter', within, ready).start();
  }

  #process(name: string, command: string, args: readonly string[], ready: () => Promise<boolean>): ManagedProcess {
    const logFile = join(this.#dir, `${name}.log`);
    const process = new ManagedProcess({ name: `${name} of ${this.name}`, command, args, logFile, ready });
    this.processes.push(process);
    return process;
  }
}
