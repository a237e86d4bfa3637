import { type FSWatcher, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Clock, systemClock } from './clock.js';
import { Backoff } from './work/backoff.js';

/** Files to watch, and the callback. */
export interface FileWatchSettings {
  /** Paths; their folders must exist for changes to be noticed, the files need not. */
  readonly files: readonly string[];
  /**
   * Called some time after a file may have changed, and at every periodic check; calls never overlap. It must not
   * reject.
   */
  readonly onLook: () => Promise<void>;
  /** Interval of checks without a notification, ms: not every file system sends them. */
  readonly everyMs: number;
  /** Times the checks. Default: the system's. */
  readonly clock?: Clock;
}

/**
 * The link in a mounted Secret or ConfigMap through which all of its files go: replacing it is the last event of an
 * update.
 */
const MOUNTED = '..data';
/** Milliseconds to wait for related changes: a certificate comes with its key. */
const SETTLE_MS = 100;
/**
 * Milliseconds to wait for further changes after a change of another file in a folder, to which a watched file may be a
 * link. The wait doubles while there is one before each check: the file may be the log of the process that checks.
 */
const NEIGHBOUR_MS = 1_000;

/**
 * Notices when files may have changed. Their folders are watched, as files are replaced by renaming, and those of a
 * mounted Secret by replacing a link in the folder. So other files in these folders trigger checks too, but later; and
 * however often one changes, a check is never postponed.
 */
export class FileWatch {
  readonly #settings: FileWatchSettings;
  readonly #clock: Clock;
  readonly #folders: FSWatcher[] = [];
  #cancelTimer: (() => void) | undefined;
  /** Time of the next check, by the clock. */
  #at = 0;
  #looking = false;
  /** Delay of another check after the current one, ms. */
  #again = Number.POSITIVE_INFINITY;
  readonly #neighbourBackoff: Backoff;
  #neighbourMs: number;
  /** Whether no neighbour has changed since the last check. */
  #isQuiet = true;
  #closed = false;

  constructor(settings: FileWatchSettings) {
    this.#settings = settings;
    this.#clock = settings.clock ?? systemClock;
    this.#neighbourBackoff = new Backoff({ firstMs: NEIGHBOUR_MS, longestMs: settings.everyMs });
    this.#neighbourMs = this.#neighbourBackoff.next();
    for (const folder of new Set(settings.files.map((file) => dirname(file))))
      this.#watch(
        folder,
        new Set(settings.files.filter((file) => dirname(file) === folder).map((file) => basename(file))),
      );
    this.#schedule(settings.everyMs);
  }

  /** Stops watching; a check in progress is completed. */
  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
    for (const folder of this.#folders) folder.close();
  }

  #watch(folder: string, names: ReadonlySet<string>): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        if (name === null || name === MOUNTED || names.has(name)) this.#changed(SETTLE_MS);
        else this.#neighbourChanged();
      });
      // An unwatched folder is still checked periodically.
      watcher.on('error', () => watcher.close());
      this.#folders.push(watcher);
    } catch {
      // The system's limit of watches may be reached.
    }
  }

  #changed(settleMs: number): void {
    if (this.#looking) this.#again = Math.min(this.#again, settleMs);
    else if (this.#clock.now() + settleMs < this.#at) this.#schedule(settleMs);
  }

  #neighbourChanged(): void {
    this.#isQuiet = false;
    this.#changed(this.#neighbourMs);
  }

  #schedule(ms: number): void {
    if (this.#closed) return;
    this.#at = this.#clock.now() + ms;
    this.#cancelTimer?.();
    this.#cancelTimer = this.#clock.after(ms, () => void this.#look());
  }

  async #look(): Promise<void> {
    const { everyMs, onLook } = this.#settings;
    this.#looking = true;
    if (this.#isQuiet) this.#neighbourBackoff.reset();
    this.#neighbourMs = this.#neighbourBackoff.next();
    this.#isQuiet = true;
    try {
      await onLook();
    } finally {
      this.#looking = false;
      this.#schedule(Math.min(this.#again, everyMs));
      this.#again = Number.POSITIVE_INFINITY;
    }
  }
}
