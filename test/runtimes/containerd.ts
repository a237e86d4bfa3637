import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { descendants, ManagedProcess, waitUntil } from '../../tools/up/index.js';
import { bind, put } from '../on-cluster/place.js';
import { IMAGES, packImages } from './busybox-image.js';

/** Folders that containerd and its plugins use, wherever they are told to keep the rest. */
const OWN_FOLDERS = ['/run/netns', '/var/lib/cni'];
const NAMESPACES = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];

const NETWORK = {
  cniVersion: '0.4.0',
  name: 'test',
  plugins: [
    {
      ...{ type: 'bridge', bridge: 'test0', isGateway: true },
      ipam: { type: 'host-local', ranges: [[{ subnet: '10.89.0.0/16' }]] },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
    { type: 'loopback' },
  ],
};

/** A containerd in namespaces of its own, of which nothing is left when it ends; it has the images of the tests. */
export class Containerd {
  readonly #process: ManagedProcess;

  /** @param dir folder of all that it keeps */
  constructor(readonly dir: string) {
    mkdirSync(dir, { recursive: true });
    const ready = join(dir, 'ready');
    const { busybox, pause } = packImages(join(dir, 'images'));
    const ctr = `ctr --address ${this.socket} --namespace k8s.io`;
    const run = `containerd --config ${this.#configuration()}`;
    const script = [
      ...OWN_FOLDERS.map((folder) => bind(dir, folder)),
      'ip link set lo up',
      // It is started again whenever it has ended, once nothing holds it back; its containers go on meanwhile.
      `while :; do while [ -e ${this.#held} ]; do sleep 0.1; done; ${run} || true; done & daemon=$!`,
      `until ctr --address ${this.socket} version; do kill -0 $daemon; sleep 0.1; done`,
      ...[busybox, pause].map((archive) => `${ctr} images import ${archive}`),
      `touch ${ready}`,
      'wait $daemon',
    ].join('\n');
    this.#process = new ManagedProcess({
      ...{ name: 'containerd', command: 'unshare', args: [...NAMESPACES, 'sh', '-ec', script] },
      logFile: join(dir, 'containerd.log'),
      ready: async () => existsSync(ready),
      stopSignal: 'SIGKILL',
    });
  }

  /** Path of its socket. */
  get socket(): string {
    return join(this.dir, 'containerd.sock');
  }

  /** Starts it. */
  async start(): Promise<void> {
    await this.#process.start();
  }

  /** Kills it with all its containers. */
  async stop(): Promise<void> {
    await this.#process.stop();
  }

  /** Process id of what keeps it. */
  get pid(): number {
    return this.#process.pid;
  }

  /** Process id, outside, of the first process of its namespaces. */
  get inner(): number {
    return descendants(this.pid)[0] ?? 0;
  }

  /** Process id, outside, of the daemon; undefined while it does not run. */
  get daemon(): number | undefined {
    return descendants(this.pid).find((pid) => nameOf(pid) === 'containerd');
  }

  /** Kills the daemon, and keeps it from being started again; containers go on. */
  async hold(): Promise<void> {
    writeFileSync(this.#held, '');
    if (this.daemon !== undefined) process.kill(this.daemon, 'SIGKILL');
    await waitUntil('containerd has ended', 10_000, () => this.daemon === undefined);
  }

  /** Lets the daemon be started again. */
  release(): void {
    rmSync(this.#held);
  }

  get #held(): string {
    return join(this.dir, 'held');
  }

  #configuration(): string {
    put(join(this.dir, 'cni', '10-test.conflist'), JSON.stringify(NETWORK));
    const cri = '[plugins."io.containerd.grpc.v1.cri"';
    const lines = [
      ...['version = 2', `root = "${this.dir}/root"`, `state = "${this.dir}/state"`],
      ...['[grpc]', `address = "${this.socket}"`],
      ...[`${cri}]`, `sandbox_image = "${IMAGES.pause}"`, 'restrict_oom_score_adj = true', 'disable_apparmor = true'],
      ...[`${cri}.cni]`, 'bin_dir = "/usr/lib/cni"', `conf_dir = "${this.dir}/cni"`],
      ...['[plugins."io.containerd.internal.v1.opt"]', `path = "${this.dir}/opt"`],
    ];
    return put(join(this.dir, 'containerd.toml'), `${lines.join('\n')}\n`);
  }
}

/** Name of the program of a process; empty if there is none. */
function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return '';
  }
}
