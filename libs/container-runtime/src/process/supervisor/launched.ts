import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { sleep, systemClock } from '@orch/runtime/clock';
import { argumentsOf } from '../state/processes.js';
import { CONTAINER_FILES, type LaunchPlan } from '../state/records.js';
import { isLauncher, LAUNCH_FAILURE, launcherArgv, launcherEnvironment } from './launcher.js';

/** Milliseconds between looks at whether the program runs. */
const LOOK_MS = 5;
/** Milliseconds after which a program is taken for started, however it looks. */
const LONGEST_START_MS = 10_000;
const LONGEST_FAILURE = 4_096;

/** Outcome of a start: the process id of the program, with its errors if it has ended already; or why it does not run. */
type StartOutcome = { readonly pid: number; readonly stderr?: Buffer } | { readonly failure: string };

/** A container's program as a process of the node, from its launch on. */
export class Launched {
  /** The process on the node. */
  readonly child: ChildProcess;
  /** Output of the program. */
  readonly stdout = new PassThrough();
  /** Errors of the program. */
  readonly stderr = new PassThrough();
  /** Resolves with the exit code once the process has ended. */
  readonly ended: Promise<number>;
  #exited = false;

  constructor(
    private readonly folder: string,
    private readonly plan: LaunchPlan,
    stdin: boolean,
  ) {
    const [program = '', ...args] = launcherArgv(plan, join(folder, CONTAINER_FILES.info));
    // The last one is the supervisor's own, on which it reports.
    const stdio = [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', 'ignore'] as const;
    const env = launcherEnvironment(plan.env);
    this.child = spawn(program, args, { stdio: [...stdio], cwd: plan.cwd, env, detached: true });
    // A program that has closed its input takes no more of it.
    this.child.stdin?.on('error', () => undefined);
    // Node drops the output of a process that has ended, unless somebody reads.
    for (const stream of ['stdout', 'stderr'] as const) this.child[stream]?.pipe(this[stream]);
    this.ended = new Promise((resolve) => {
      this.child.once('error', () => resolve(127));
      this.child.once('exit', (code, signal) => {
        this.#exited = true;
        resolve(code ?? 128 + signalNumber(signal));
      });
    });
  }

  /** Resolves once the program runs or has run, or has failed to start. */
  async started(): Promise<StartOutcome> {
    const latest = systemClock.now() + LONGEST_START_MS;
    while (!this.#exited && this.child.pid !== undefined) {
      const pid = this.#pid();
      if (pid !== undefined && (this.#hasProgram(pid) || systemClock.now() > latest)) return { pid };
      await Promise.race([this.ended, sleep(systemClock, LOOK_MS)]);
    }
    if (this.child.pid === undefined) return { failure: 'it cannot be started' };
    // Processes of its group may have the other end of the pipe.
    this.#kill(-this.child.pid, 'SIGKILL');
    const stderr = await buffer(this.stderr);
    const [, failure] = LAUNCH_FAILURE.exec(stderr.toString('utf8', 0, LONGEST_FAILURE)) ?? [];
    return failure === undefined ? { pid: this.#pid() ?? this.child.pid, stderr } : { failure };
  }

  /** Sends a signal to the program; to all of its process group where it has no namespace of its own. */
  signal(signal: NodeJS.Signals): void {
    const pid = this.#pid();
    if (!this.#exited && pid !== undefined) this.#kill(this.plan.announces ? pid : -pid, signal);
  }

  #kill(pid: number, signal: NodeJS.Signals): void {
    try {
      process.kill(pid, signal);
    } catch {
      // It has just ended.
    }
  }

  #hasProgram(pid: number): boolean {
    const argv = argumentsOf(pid);
    return argv.length > 0 && !isLauncher(argv);
  }

  #pid(): number | undefined {
    if (!this.plan.announces) return this.child.pid;
    try {
      const info = JSON.parse(readFileSync(join(this.folder, CONTAINER_FILES.info), 'utf8'));
      return Number(info['child-pid']);
    } catch {
      return undefined; // not there yet, or not whole
    }
  }
}

const signalNumber = (signal: NodeJS.Signals | null): number => (signal === null ? 0 : constants.signals[signal]);
