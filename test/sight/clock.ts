import { execFileSync } from 'node:child_process';
import { renameSync, writeFileSync } from 'node:fs';
import { programOf } from './prometheus.js';

/** The clock of a process of its own, which can be moved while it runs (libfaketime). What measures durations goes on as before. */
export class MovableClock {
  /** Variables of the process. */
  readonly env: Readonly<Record<string, string>>;

  /** @param file says where the clock stands */
  constructor(private readonly file: string) {
    this.move(0);
    const faketime = programOf('faketime', 'faketime');
    // For processes with threads; where it lies differs by machine.
    const preload = execFileSync(faketime, ['-m', '-f', '+0s', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' });
    this.env = {
      LD_PRELOAD: preload.trim(),
      FAKETIME_TIMESTAMP_FILE: file,
      // Seconds for which the file is believed: not read again with each question for the time.
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  /** Puts the clock so many seconds before or behind that of the machine. */
  move(seconds: number): void {
    writeFileSync(`${this.file}.next`, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
    renameSync(`${this.file}.next`, this.file);
  }
}
