import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { waitUntil, which } from '../../tools/up/index.js';

const BOOT = fileURLToPath(new URL('./systemd-boot.sh', import.meta.url));
const NEEDED = ['systemctl', 'systemd-sysusers', 'unshare', 'nsenter', 'ip'];
const BOOT_MS = 60_000;
/** Control group hierarchy of systemd: one of its own, or the only one. */
const GROUPS = existsSync('/sys/fs/cgroup/systemd') ? '/sys/fs/cgroup/systemd' : '/sys/fs/cgroup';

/** Whether this machine can boot another systemd beside its own processes. */
export const canBoot = process.getuid?.() === 0 && NEEDED.every((name) => which(name) !== undefined);

/**
 * A machine of which systemd is the first process, in namespaces: this machine's files, with what is written kept apart in a folder,
 * its programs, and a network of its own in which there is nobody else.
 */
export class SystemdMachine {
  #boot: ChildProcess | undefined;
  readonly #group: string;

  constructor(private readonly dir: string) {
    this.#group = join(GROUPS, `orch-machine-${process.pid}`);
  }

  /** Resolves once systemd answers. */
  async start(): Promise<void> {
    mkdirSync(this.#group, { recursive: true });
    const log = openSync(join(this.dir, 'boot.log'), 'a');
    const enter = 'echo $$ > "$1/cgroup.procs"; shift; exec "$@"';
    const apart = ['--pid', '--fork', '--kill-child', '--mount', '--uts', '--ipc', '--net', '--cgroup'];
    this.#boot = spawn('sh', ['-euc', enter, 'sh', this.#group, 'unshare', ...apart, 'bash', BOOT, this.dir], {
      stdio: ['ignore', log, log],
    });
    await waitUntil('systemd has booted', BOOT_MS, async () => {
      if (this.#boot?.exitCode !== null) throw new Error(readFileSync(join(this.dir, 'boot.log'), 'utf8'));
      const state = await this.run('systemctl is-system-running || true').catch(() => '');
      return /running|degraded/.test(state);
    });
  }

  /** Cuts the machine off, as a power failure does. */
  async cut(): Promise<void> {
    const first = this.#first();
    const ended = this.#boot && this.#boot.exitCode === null ? once(this.#boot, 'exit') : undefined;
    if (first !== undefined) process.kill(first, 'SIGKILL');
    await ended;
    await waitUntil('the processes of the machine are gone', BOOT_MS, async () => this.#isEmptied());
  }

  /** Path from outside of what is a path within. */
  file(path: string): string {
    return join(this.dir, 'upper', path);
  }

  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(join(this.file(path), '..'), { recursive: true });
    writeFileSync(this.file(path), text, { mode });
  }

  /** Runs lines of a shell as root. @param network `outer`: with the network of this machine */
  async run(
    script: string,
    env: Readonly<Record<string, string>> = {},
    network: 'own' | 'outer' = 'own',
  ): Promise<string> {
    const spaces = ['-m', '-p', '-u', '-i', '-C', ...(network === 'own' ? ['-n'] : [])];
    const args = ['-t', String(this.#first() ?? 'none'), ...spaces, '-r', '-w', '/bin/sh', '-euc', script];
    const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    return (await promisify(execFile)('nsenter', args, { env: { HOME: '/root', ...env, PATH } })).stdout;
  }

  /** Id of systemd as this machine knows it. */
  #first(): number | undefined {
    const { pid } = this.#boot ?? {};
    if (pid === undefined) return undefined;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    return children === '' ? undefined : Number(children.split(' ')[0]);
  }

  #isEmptied(): boolean {
    try {
      remove(this.#group);
      return true;
    } catch {
      return false;
    }
  }
}

/** @throws where processes are left in one of them */
function remove(group: string): void {
  if (!existsSync(group)) return;
  for (const entry of readdirSync(group, { withFileTypes: true }))
    if (entry.isDirectory()) remove(join(group, entry.name));
  rmdirSync(group);
}
