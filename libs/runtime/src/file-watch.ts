import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';
import { type Clock, systemClock } from './clock.js';

/** What is watched, and who is told. */
export interface FileWatchSettings {
  /** Paths; their folders must be there for changes to be told, the files need not. */
  readonly files: readonly string[];
  /**
   * Called some time after one of them may have changed, and at every look; never while a call before is under way.
   * It must not reject.
   */
  readonly onLook: () => Promise<void>;
  /** How often to look without having been told of a change, ms: not every file system tells. */
  readonly everyMs: number;
  /** Times the looks. Default: the machine's. */
  readonly clock?: Clock;
}

/** A change is seldom alone: a certificate comes with its key. */
const SETTLE_MS = 100;

/**
 * Tells when files may have changed. Their folders are watched, for files are replaced by renaming, and those of a
 * mounted Secret by changing where a link in the folder points.
 */
export class FileWatch {
  readonly #settings: FileWatchSettings;
  readonly #clock: Clock;
  readonly #folders: FSWatcher[] = [];
  #cancelTimer: (() => void) | undefined;
  #looking = false;
  #again = false;
  #closed = false;

  constructor(settings: FileWatchSettings) {
    this.#settings = settings;
    this.#clock = settings.clock ?? systemClock;
    for (const folder of new Set(settings.files.map((file) => dirname(file)))) this.#watch(folder);
    this.#schedule(settings.everyMs);
  }

  /** Ends the watching; a look that is under way goes on to its end. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    for (const folder of this.#folders) folder.close();
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#changed());
      // What cannot be watched is still looked at.
      watcher.on('error', () => watcher.close());
      this.#folders.push(watcher);
    } catch {
      // The system's watches may be used up.
    }
  }

  #changed(): void {
    if (this.#looking) this.#again = true;
    else this.#schedule(SETTLE_MS);
  }

  #schedule(ms: number): void {
    if (this.#closed) return;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.after(ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    this.#looking = true;
    try {
      await this.#settings.onLook();
    } finally {
      this.#looking = false;
      this.#schedule(this.#again ? SETTLE_MS : this.#settings.everyMs);
      this.#again = false;
    }
  }
}
