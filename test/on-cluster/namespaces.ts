import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeControlGroup } from './place.js';

const INSTALLER = fileURLToPath(new URL('../../tools/up/install-packages.sh', import.meta.url));
/** Beside what `make up` needs: what a node consists of. */
const PACKAGES = ['containerd', 'runc', 'containernetworking-plugins', 'iptables', 'conntrack', 'iproute2', 'mawk'];
const NAMESPACES = ['--mount', '--net', '--pid', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc'];

/** Installs what a node consists of, and further packages. Throws where that is not possible, and for users who are not root. */
export function installForNodes(...further: readonly string[]): void {
  if (process.getuid?.() !== 0) throw new Error('a node needs root: namespaces, mounts, control groups');
  execFileSync('bash', [INSTALLER, ...PACKAGES, ...further], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** Runs a command in namespaces of its own, of which nothing is left when it ends. Returns its exit code. */
export function runInNamespaces(command: readonly string[], variables: Readonly<Record<string, string>>): number {
  // A shell is the first process of its namespace, as it takes leave of those that others leave behind.
  const shell = ['sh', '-c', '"$@"; exit $?', 'sh', ...command];
  const env = { ...process.env, ...variables };
  return spawnSync('unshare', [...NAMESPACES, ...shell], { stdio: 'inherit', env }).status ?? 1;
}

/** Has a folder for a run, which is removed with the control groups of its name; KEEP in the environment leaves the folder. */
export function inRunFolder<T>(work: (dir: string) => T): T {
  const dir = mkdtempSync(join(tmpdir(), 'orch-on-cluster-'));
  try {
    chmodSync(dir, 0o711); // PostgreSQL runs as another user
    return work(dir);
  } finally {
    removeControlGroup(basename(dir));
    if (process.env.KEEP === undefined) rmSync(dir, { recursive: true, force: true });
  }
}
