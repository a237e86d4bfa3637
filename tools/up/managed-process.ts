import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { descendants, isAlive } from './proc.js';
import { waitUntil } from './ready.js';

const START_MS = 60_000;
const STOP_MS = 20_000;

/** Settings of a {@link ManagedProcess}. */
export interface ProcessSettings {
  /** Names the process in messages and its log file. */
  readonly name: string;
  /** Path of the executable. */
  readonly command: string;
  /** Arguments of the command line. */
  readonly args: readonly string[];
  /** File that output and errors are appended to. */
  readonly logFile: string;
  /** Working directory; the starter's when absent. */
  readonly cwd?: string;
  /** Variables beside those of the starter. */
  readonly env?: Readonly<Record<string, string>>;
  /** Runs as this user (needs root); the starter's own when absent. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Goes on when the starter exits, and does not get its terminal's signals. */
  readonly detached?: boolean;
  /** The signal that ends it in an orderly way; SIGTERM when absent. */
  readonly stopSignal?: NodeJS.Signals;
  /** Its children end by themselves once it is killed, and must have ended before it can start again. */
  readonly childrenFollow?: boolean;
  /** Whether it serves; polled until it does. */
  readonly ready: () => Promise<boolean>;
}

/** A server process that can be killed and restarted with the same arguments, so on the same port. */
export class ManagedProcess {
  /** Name of the process in messages. */
  readonly name: string;
  /** File that its output and errors are appended to. */
  readonly logFile: string;
  readonly #settings: ProcessSettings;
  #child: ChildProcess | undefined;
  #exit: Promise<void> = Promise.resolve();

  constructor(settings: ProcessSettings) {
    this.#settings = settings;
    this.name = settings.name;
    this.logFile = settings.logFile;
  }

  /** Process id; throws when it does not run. */
  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined || !this.running) throw new Error(`${this.name} does not run`);
    return pid;
  }

  /** Whether the process has been started and has not ended. */
  get running(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Exit code; undefined while it runs, and when a signal ended it. */
  get exitCode(): number | undefined {
    return this.#child?.exitCode ?? undefined;
  }

  /** Starts it and waits until it serves. Throws with the end of its log when it exits first or takes too long. */
  async start(): Promise<this> {
    if (this.running) throw new Error(`${this.name} runs already`);
    const { command, args, cwd, user, detached = false } = this.#settings;
    const env = { ...process.env, ...this.#settings.env };
    const log = openSync(this.logFile, 'a');
    const child = spawn(command, args, { stdio: ['ignore', log, log], env, detached, ...(cwd && { cwd }), ...user });
    closeSync(log);
    this.#child = child;
    this.#exit = new Promise((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    if (detached) child.unref();
    try {
      await waitUntil(`${this.name} serves`, START_MS, async () => {
        if (!this.running) throw new Error(`${this.name} exited with ${child.exitCode ?? child.signalCode}`);
        return this.#settings.ready();
      });
    } catch (cause) {
      if (this.running) await this.kill('SIGKILL');
      throw new Error(`${this.name} did not start:\n${tail(this.logFile)}`, { cause });
    }
    return this;
  }

  /** Sends a signal to a running process; with a deadly one, resolves when it is gone. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    const pid = this.pid;
    const children = this.#settings.childrenFollow ? descendants(pid) : [];
    process.kill(pid, signal);
    if (signal === 'SIGSTOP' || signal === 'SIGCONT' || signal === 'SIGHUP') return;
    await this.#exit;
    await waitUntil(`the children of ${this.name} are gone`, STOP_MS, () => !children.some(isAlive));
  }

  /** Ends it in an orderly way, and by force when that takes too long. Does nothing when it does not run. */
  async stop(): Promise<void> {
    if (!this.running) return;
    const force = setTimeout(() => this.running && process.kill(this.pid, 'SIGKILL'), STOP_MS);
    await this.kill(this.#settings.stopSignal ?? 'SIGTERM');
    clearTimeout(force);
  }

  /** Ends the process and starts it again with the same arguments. */
  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }
}

/** The last lines of a log, for error messages. */
export function tail(file: string, lines = 30): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}
