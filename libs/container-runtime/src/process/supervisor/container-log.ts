import { closeSync, openSync, writeSync } from 'node:fs';
import { systemClock } from '@orch/runtime/clock';
import { LogLines, type LogStream, logTime } from '../../logs/log-lines.js';

/**
 * The log of a container, in the format of CRI. Output that cannot be written is lost, as where the disk is full: the container
 * goes on.
 */
export class ContainerLog {
  #file: number;
  #closed = false;
  /** Whether the file ends within a line. */
  #isTorn = false;
  readonly #lines: Readonly<Record<LogStream, LogLines>>;

  /** Opens the file, and makes it if it does not exist. */
  constructor(private readonly path: string) {
    this.#file = openSync(path, 'a', 0o640);
    const time = (): string => logTime(systemClock.wall());
    this.#lines = { stdout: new LogLines('stdout', time), stderr: new LogLines('stderr', time) };
  }

  /** Writes a piece of output. */
  write(stream: LogStream, piece: Uint8Array): void {
    this.#append(this.#lines[stream].push(piece));
  }

  /** Opens the file anew: the old one was renamed. @throws Error, and goes on with the old one */
  reopen(): void {
    if (this.#closed) return;
    const file = openSync(this.path, 'a', 0o640);
    closeSync(this.#file);
    this.#file = file;
    this.#isTorn = false;
  }

  /** Writes what is incomplete, and closes the file; what is written later is lost. */
  close(): void {
    for (const lines of Object.values(this.#lines)) this.#append(lines.end());
    this.#closed = true;
    closeSync(this.#file);
  }

  #append(bytes: Buffer): void {
    if (this.#closed) return;
    let done = 0;
    try {
      if (this.#isTorn && bytes.length > 0) this.#isTorn = writeSync(this.#file, '\n') === 0;
      while (done < bytes.length) done += writeSync(this.#file, bytes, done);
    } catch {
      this.#isTorn ||= done > 0;
    }
  }
}
