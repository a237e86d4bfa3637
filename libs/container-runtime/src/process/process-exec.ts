import { type ChildProcess, spawn } from 'node:child_process';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { systemClock } from '@orch/runtime/clock';
import { RuntimeError } from '../runtime-error.js';
import type { ExecRequest, ExecSyncRequest, ExecSyncResult, ProcessStreams } from '../streams.js';
import { processTree } from './state/processes.js';
import type { ContainerRecord, LaunchPlan } from './state/records.js';
import { launcherArgv, launcherEnvironment } from './supervisor/launcher.js';
import { ownDescriptors } from './supervisor/own-descriptors.js';

/** Bytes of output of a command on each stream; the rest is dropped. */
const LONGEST_OUTPUT = 16 << 20;
const KILLED = 137;

/** Returns program and arguments that run a command in a container. @param pid of the container's first process */
export function commandArgv(record: ContainerRecord, pid: number, command: readonly string[]): string[] {
  const enter = record.enter.map((each) => each.replace('{pid}', `${pid}`));
  return launcherArgv({ ...record.launch, argv: [...enter, ...command], announces: false }, '');
}

/** Starts a program of the node that becomes a command in a container. */
export function startCommand(
  [program = '', ...args]: readonly string[],
  { cwd, env }: LaunchPlan,
  stdin: boolean,
): ChildProcess {
  return spawn(program, args, {
    stdio: ownDescriptors([stdin ? 'pipe' : 'ignore', 'pipe', 'pipe']),
    ...{ cwd, detached: true, env: launcherEnvironment(env) },
  });
}

/** Kills a command with all that it has started. */
export function killTree({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  for (const each of processTree(pid).reverse()) {
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
}

/** Resolves with the exit code of a command once its output has ended. */
export function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) =>
      reject(new RuntimeError('Unknown', `failed to exec in container: ${cause.message}`, { cause })),
    );
    child.once('close', (code) => resolve(code ?? KILLED));
  });
}

/** Collects a stream; what is beyond the limit is read and dropped. */
function collect(stream: Readable | null): () => Buffer {
  const pieces: Buffer[] = [];
  let left = LONGEST_OUTPUT;
  stream?.on('data', (piece: Buffer) => {
    if (left > 0) pieces.push(piece.subarray(0, left));
    left -= piece.length;
  });
  return () => Buffer.concat(pieces);
}

/** Runs a command to its end. @throws RuntimeError `DeadlineExceeded` */
export async function execToEnd(
  record: ContainerRecord,
  pid: number,
  { command, timeout }: ExecSyncRequest,
): Promise<ExecSyncResult> {
  const child = startCommand(commandArgv(record, pid, command), record.launch, false);
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  let late = false;
  const cancel =
    timeout > 0
      ? systemClock.after(timeout, () => {
          late = true;
          killTree(child);
        })
      : () => undefined;
  const exitCode = await endOf(child).finally(cancel);
  if (late)
    throw new RuntimeError('DeadlineExceeded', `failed to exec in container: timeout ${timeout / 1000}s exceeded`);
  return { stdout: stdout(), stderr: stderr(), exitCode };
}

/** A command with its streams. */
export class ExecStreams implements ProcessStreams {
  readonly stdin?: Writable;
  readonly stdout?: Readable;
  readonly stderr?: Readable;
  readonly exit: Promise<number>;
  readonly #child: ChildProcess;

  /** @param pid of the container's first process */
  constructor(record: ContainerRecord, pid: number, request: ExecRequest) {
    const { command, stdin, stdout, stderr } = request;
    const child = startCommand(commandArgv(record, pid, command), record.launch, stdin);
    this.#child = child;
    if (stdin && child.stdin) this.stdin = child.stdin.on('error', () => undefined);
    if (stdout) this.stdout = child.stdout?.pipe(new PassThrough()) ?? new PassThrough().end();
    else child.stdout?.resume();
    if (stderr) this.stderr = child.stderr?.pipe(new PassThrough()) ?? new PassThrough().end();
    else child.stderr?.resume();
    this.exit = endOf(child);
    this.exit.catch(() => undefined);
  }

  resize(): void {}

  close(): void {
    killTree(this.#child);
    this.stdin?.destroy();
  }
}
