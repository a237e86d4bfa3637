import { watch } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '@orch/runtime';
import { countLines, openLog, rotatedLogs } from './log-files.js';
import { LineCutter, LogFormatter } from './log-lines.js';
import type { LogOptions } from './log-options.js';

/** Bytes that are read at once. */
const PIECE = 64 << 10;
/** Milliseconds after which a log that is followed is looked at though no change was seen. */
const CHECK_MS = 1_000;

/** A log, its writer, and the time in which it is followed. */
interface LogSource {
  /** Path of the file that is written. */
  readonly path: string;
  /** Whether the container still runs. */
  readonly isRunning: () => Promise<boolean>;
  /** Clock of the checks for changes that were not seen. */
  readonly clock: Pick<Clock, 'after'>;
}

/** Yields what a container has written. @throws Error where the log cannot be read */
export async function* readLog(source: LogSource, options: LogOptions, signal: AbortSignal): AsyncGenerator<Buffer> {
  const formatter = new LogFormatter(options);
  let left = options.limitBytes ?? Number.POSITIVE_INFINITY;
  for await (const lines of rawLines(source, options, signal)) {
    const shown = Buffer.concat(lines.map((line) => formatter.shown(line)));
    if (shown.length > 0) yield shown.subarray(0, left);
    left -= shown.length;
    if (left <= 0 || signal.aborted) return;
  }
}

async function* rawLines(source: LogSource, options: LogOptions, signal: AbortSignal): AsyncGenerator<Buffer[]> {
  const file = await open(source.path);
  let current = file;
  try {
    const { size } = await file.stat();
    let skipped = 0;
    const older = await rotatedLogs(source.path);
    if (options.tailLines !== undefined) {
      const counts = await Promise.all([...older.map((path) => countLines(path)), countLines(source.path, size)]);
      skipped = Math.max(0, counts.reduce((sum, count) => sum + count, 0) - options.tailLines);
    }
    for (const path of older) {
      const lines = new LineCutter();
      for await (const piece of openLog(path) as AsyncIterable<Buffer>) {
        const whole = lines.take(piece);
        yield whole.slice(skipped);
        skipped = Math.max(0, skipped - whole.length);
        if (signal.aborted) return;
      }
    }
    const tail = new Follower(source, options.follow, signal);
    for await (const [lines, handle] of tail.lines(file)) {
      current = handle;
      yield lines.slice(skipped);
      skipped = Math.max(0, skipped - lines.length);
    }
  } finally {
    await current.close().catch(() => undefined);
    if (current !== file) await file.close().catch(() => undefined);
  }
}

/** Reads the file that is written, and those that follow when it is rotated. */
class Follower {
  constructor(
    private readonly source: LogSource,
    private readonly follows: boolean,
    private readonly signal: AbortSignal,
  ) {}

  async *lines(first: FileHandle): AsyncGenerator<[Buffer[], FileHandle]> {
    let [file, at, cutter] = [first, 0, new LineCutter()];
    let isLast = !this.follows;
    while (!this.signal.aborted) {
      const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE), 0, PIECE, at);
      at += bytesRead;
      if (bytesRead > 0) {
        yield [cutter.take(buffer.subarray(0, bytesRead)), file];
        continue;
      }
      const next = this.follows ? await this.#rotated(file) : undefined;
      if (next) {
        await file.close();
        [file, at, cutter] = [next, 0, new LineCutter()];
        continue;
      }
      if (isLast) return;
      isLast = !(await this.source.isRunning());
      if (!isLast) await this.#changed();
    }
  }

  /** The file that is written now, if it is another one. */
  async #rotated(file: FileHandle): Promise<FileHandle | undefined> {
    const [now, own] = await Promise.all([stat(this.source.path).catch(() => undefined), file.stat()]);
    return now && now.ino !== own.ino ? open(this.source.path) : undefined;
  }

  /** Resolves when something has changed in the folder, or a time has passed. */
  #changed(): Promise<void> {
    return new Promise((resolve) => {
      const watcher = watch(dirname(this.source.path));
      const done = (): void => {
        cancel();
        this.signal.removeEventListener('abort', done);
        watcher.close();
        resolve();
      };
      const cancel = this.source.clock.after(CHECK_MS, done);
      this.signal.addEventListener('abort', done);
      watcher.once('change', done).once('error', done);
    });
  }
}
