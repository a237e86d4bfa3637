import { type ChildProcess, execFile } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import type { ExecRequest, ProcessStreams } from '../streams.js';
import { withTerminalType } from './isolation/environment.js';
import { programOf } from './isolation/program-of.js';
import { commandArgv, endOf, killTree, startCommand } from './process-exec.js';
import { processTree } from './state/processes.js';
import type { ContainerRecord } from './state/records.js';

const TERMINAL = /^\/dev\/pts\/\d+$/;
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A command with a terminal, which the program `script` makes and keeps. */
export class TerminalStreams implements ProcessStreams {
  readonly stdin?: Writable;
  readonly stdout?: Readable;
  readonly exit: Promise<number>;
  readonly #child: ChildProcess;

  /** @param pid of the container's first process */
  constructor(record: ContainerRecord, pid: number, { command, stdin, stdout }: ExecRequest) {
    const text = commandArgv({ ...record, enter: withTerminalType(record.enter) }, pid, command)
      .map(quoted)
      .join(' ');
    const child = startCommand([programOf('script'), '-qfec', `exec ${text}`, '/dev/null'], record.launch, stdin);
    this.#child = child;
    if (stdin && child.stdin) this.stdin = child.stdin.on('error', () => undefined);
    if (stdout) this.stdout = child.stdout?.pipe(new PassThrough()) ?? new PassThrough().end();
    else child.stdout?.resume();
    child.stderr?.resume();
    this.exit = endOf(child);
    this.exit.catch(() => undefined);
  }

  resize(columns: number, rows: number): void {
    const terminal = this.#terminal();
    if (terminal === undefined) return;
    // Failures mean that the command has just ended.
    execFile(programOf('stty'), ['-F', terminal, 'rows', `${rows}`, 'cols', `${columns}`], () => undefined);
  }

  close(): void {
    killTree(this.#child);
    this.stdin?.destroy();
  }

  /** Returns the terminal that the command has as its standard input. */
  #terminal(): string | undefined {
    const [, ...below] = processTree(this.#child.pid ?? 0);
    for (const pid of below) {
      try {
        const target = readlinkSync(`/proc/${pid}/fd/0`);
        if (TERMINAL.test(target)) return target;
      } catch {
        // It has just ended.
      }
    }
    return undefined;
  }
}
