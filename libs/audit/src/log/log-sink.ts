import type { AuditSink } from '../backends/backend.js';
import type { EventRecord } from '../events/event.js';
import { legacyLine } from '../events/legacy-line.js';

/** Formats of the lines. */
export const LOG_FORMATS = ['json', 'legacy'] as const;
/** Format of the log, of {@link LOG_FORMATS}. */
type LogFormat = (typeof LOG_FORMATS)[number];

/** Writes whole lines. */
export interface LineWriter {
  /** Resolves when they are written. */
  write(lines: string): Promise<void>;
  close(): Promise<void>;
}

/** Writes an event per line. */
export class LogSink implements AuditSink {
  readonly name = 'log';

  constructor(
    private readonly out: LineWriter,
    private readonly format: LogFormat,
  ) {}

  async write(events: readonly EventRecord[]): Promise<void> {
    const line =
      this.format === 'json' ? ({ json }: EventRecord) => json : ({ event }: EventRecord) => legacyLine(event);
    // Written singly: rotation happens between two lines.
    await Promise.all(events.map((event) => this.out.write(`${line(event)}\n`)));
  }

  close(): Promise<void> {
    return this.out.close();
  }
}

/** Standard output. */
export const standardOutput: LineWriter = {
  write: (lines) =>
    new Promise((resolve, reject) => {
      process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
    }),
  close: async () => undefined,
};
