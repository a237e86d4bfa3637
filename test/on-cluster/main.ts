import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildImages } from './images.js';
import { removeControlGroup } from './place.js';
import { buildPrograms } from './programs.js';
import { SETTINGS_VARIABLE, type Settings, settingsFile } from './stage.js';

const INSTALLER = fileURLToPath(new URL('../../tools/up/install-packages.sh', import.meta.url));
const CONFIG = fileURLToPath(new URL('./vitest.config.ts', import.meta.url));
const VITEST = fileURLToPath(new URL('../../node_modules/.bin/vitest', import.meta.url));
/** Beside what `make up` needs: what a node consists of. */
const PACKAGES = ['containerd', 'runc', 'containernetworking-plugins', 'iptables', 'conntrack', 'iproute2', 'mawk'];
const NAMESPACES = ['--mount', '--net', '--pid', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc'];

/** Builds everything, then runs the rest in namespaces of its own, of which nothing is left when it ends. */
function main(args: readonly string[]): number {
  if (process.getuid?.() !== 0) throw new Error('a node needs root: namespaces, mounts, control groups');
  execFileSync('bash', [INSTALLER, ...PACKAGES], { stdio: ['ignore', 'inherit', 'inherit'] });
  const programs = buildPrograms();
  const dir = mkdtempSync(join(tmpdir(), 'orch-on-cluster-'));
  try {
    chmodSync(dir, 0o711); // PostgreSQL runs as another user
    const archives = buildImages(dir, process.env.PREVIOUS_TREE);
    const settings: Settings = { dir, programs, archives, outside: readlinkSync('/proc/self/ns/net') };
    writeFileSync(settingsFile(dir), JSON.stringify(settings));
    // A shell is the first process of its namespace, as it takes leave of those that others leave behind.
    const shell = ['sh', '-c', '"$@"; exit $?', 'sh', VITEST, 'run', '--config', CONFIG, ...args];
    const env = { ...process.env, [SETTINGS_VARIABLE]: settingsFile(dir) };
    return spawnSync('unshare', [...NAMESPACES, ...shell], { stdio: 'inherit', env }).status ?? 1;
  } finally {
    removeControlGroup(basename(dir));
    if (process.env.KEEP === undefined) rmSync(dir, { recursive: true, force: true });
  }
}

process.exitCode = main(process.argv.slice(2));
