import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DEMO_IMAGE, makeImage, PAUSE_IMAGE } from '@orch/standalone/images';
import { ManagedProcess } from './managed-process.js';

/** Runs `orch standalone` with a node on containerd: that of the machine, or one that is started beside it. */

const USAGE = 'usage: npx tsx tools/up/with-containerd.ts DIR COMMAND [ARGUMENT]...\n';
const MACHINE_SOCKET = '/run/containerd/containerd.sock';
/** Network of pods where containerd is started here. */
const NETWORK = {
  cniVersion: '0.4.0',
  name: 'orch',
  plugins: [
    {
      ...{ type: 'bridge', bridge: 'orch0', isGateway: true, ipMasq: true },
      ipam: { type: 'host-local', ranges: [[{ subnet: '10.88.0.0/16' }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
    { type: 'portmap', capabilities: { portMappings: true } },
    { type: 'loopback' },
  ],
};

const [folder, command, ...args] = process.argv.slice(2);
if (folder === undefined || command === undefined) {
  process.stderr.write(USAGE);
  process.exit(2);
}
process.exitCode = existsSync(MACHINE_SOCKET) ? await run(MACHINE_SOCKET) : await besideOwn(resolve(folder));

/** Runs the command beside a containerd that ends with it; containers go on, and are found again at the next start. */
async function besideOwn(dir: string): Promise<number> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const socket = join(dir, 'containerd.sock');
  const containerd = new ManagedProcess({
    ...{ name: 'containerd', command: 'containerd', args: ['--config', configuration(dir, socket)] },
    // The signals of a terminal are for the command: it ends first.
    ...{ logFile: join(dir, 'containerd.log'), detached: true },
    ready: async () => spawnSync('ctr', ['--address', socket, 'version']).status === 0,
  });
  await containerd.start();
  try {
    for (const image of [PAUSE_IMAGE, DEMO_IMAGE]) await importImage(image, dir, socket);
    return await run(socket);
  } finally {
    await containerd.stop();
  }
}

/** @throws Error where an image cannot be made or imported */
async function importImage(image: typeof DEMO_IMAGE, dir: string, socket: string): Promise<void> {
  const archive = await makeImage(image, dir);
  if (archive === undefined) throw new Error(`${image.name} cannot be made: there is no busybox (busybox-static)`);
  execFileSync('ctr', ['--address', socket, '--namespace', 'k8s.io', 'images', 'import', archive]);
}

/** Runs the command to its end; resolves with its exit code. */
async function run(socket: string): Promise<number> {
  const child = spawn(command ?? '', [...args, `--node-runtime=unix://${socket}`], { stdio: 'inherit' });
  // A terminal sends its signals to both.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((done, failed) => {
    child.once('error', failed);
    child.once('exit', (code) => done(code ?? 1));
  });
}

function configuration(dir: string, socket: string): string {
  const networks = join(dir, 'networks');
  mkdirSync(networks, { recursive: true });
  writeFileSync(join(networks, '10-orch.conflist'), JSON.stringify(NETWORK));
  const cri = '[plugins."io.containerd.grpc.v1.cri"';
  const file = join(dir, 'containerd.toml');
  writeFileSync(
    file,
    [
      ...['version = 2', `root = "${join(dir, 'root')}"`, `state = "${join(dir, 'state')}"`],
      ...['[grpc]', `address = "${socket}"`],
      ...[
        `${cri}]`,
        `sandbox_image = "${PAUSE_IMAGE.name}"`,
        'restrict_oom_score_adj = true',
        'disable_apparmor = true',
      ],
      ...[`${cri}.cni]`, 'bin_dir = "/usr/lib/cni"', `conf_dir = "${networks}"`],
      ...['[plugins."io.containerd.internal.v1.opt"]', `path = "${join(dir, 'opt')}"`, ''],
    ].join('\n'),
  );
  return file;
}
