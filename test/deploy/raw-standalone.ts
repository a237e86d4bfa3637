import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { EXECUTABLE, freePorts, isAlive } from '../../tools/up/index.js';

/** An `orch standalone` in any state, as whoever types the command has it: in a process group of its own. */
export class RawStandalone {
  private constructor(
    readonly child: ChildProcess,
    readonly dataDir: string,
    readonly logFile: string,
    readonly plainUrl: string,
  ) {}

  /** Starts it on a folder; waits for nothing. */
  static async start(dataDir: string, ...args: readonly string[]): Promise<RawStandalone> {
    const [secure, plain] = await freePorts(2);
    const logFile = `${dataDir}.${secure}.log`;
    const log = openSync(logFile, 'w');
    const ports = [`--secure-port=${secure}`, `--insecure-port=${plain}`];
    const all = [EXECUTABLE, 'standalone', '--v=1', '--naming=kubernetes', `--data-dir=${dataDir}`, ...ports, ...args];
    const child = spawn(process.execPath, all, { detached: true, stdio: ['ignore', log, log] });
    return new RawStandalone(child, dataDir, logFile, `http://127.0.0.1:${plain}`);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves with its exit code, or the signal that ended it. */
  async ended(): Promise<number | NodeJS.Signals | null> {
    if (!this.hasEnded) await once(this.child, 'exit');
    return this.child.exitCode ?? this.child.signalCode;
  }

  /** Processes of PostgreSQL, `initdb` too, that work for a folder. */
  databaseProcesses(): number[] {
    return databaseProcesses(this.dataDir);
  }
}

/** Processes that work in the folder of a database, of whichever server. */
export function databaseProcesses(dataDir: string): number[] {
  const folder = join(dataDir, 'postgres');
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => isAlive(pid) && workingFolder(pid).startsWith(folder));
}

/** Returns the processes that are postmasters; a child briefly has their command line. */
export function postmasters(dataDir: string): number[] {
  const all = databaseProcesses(dataDir).filter((pid) => /postgres -D /.test(titleOf(pid)));
  return all.filter((pid) => !all.includes(parentOf(pid)));
}

export const nameOf = (pid: number): string => textOf(`/proc/${pid}/comm`).trim();

/** With what it says of itself: PostgreSQL writes there what each of its processes is for. */
export const titleOf = (pid: number): string => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ');

const parentOf = (pid: number): number => Number(/^PPid:\s*(\d+)$/m.exec(textOf(`/proc/${pid}/status`))?.[1]);

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
