import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ManagedProcess } from '../../tools/up/index.js';
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
    { type: 'loopback' },
  ],
};

/** A containerd in namespaces of its own, of which nothing is left when it ends; it has the images of the tests. */
export class Containerd {
  readonly #process: ManagedProcess;

  constructor(private readonly dir: string) {
    mkdirSync(dir, { recursive: true });
    const ready = join(dir, 'ready');
    const { busybox, pause } = packImages(join(dir, 'images'));
    const ctr = `ctr --address ${this.socket} --namespace k8s.io`;
    const script = [
      ...OWN_FOLDERS.map((folder) => bind(dir, folder)),
      `containerd --config ${this.#configuration()} & daemon=$!`,
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
