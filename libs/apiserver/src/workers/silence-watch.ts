import type { Clock } from '@orch/runtime';

/** Looks in the time that a worker may be silent. */
const LOOKS = 12;

interface SilenceWatchSettings {
  readonly clock: Clock;
  /** Milliseconds for which a worker may say nothing. */
  readonly timeoutMs: number;
  /** Called once, when it has been silent for that long. */
  readonly onSilent: () => void;
}

/**
 * Notices a worker that lives and does nothing, as one whose event loop never comes to an end: its connections stay open, and nobody
 * answers on them. Times in which this process itself stood still do not count: the worker may have stood still with it.
 */
export class SilenceWatch {
  readonly #settings: SilenceWatchSettings;
  #silentMs = 0;
  #cancel: () => void = () => {};

  constructor(settings: SilenceWatchSettings) {
    this.#settings = settings;
    this.#look();
  }

  /** The worker has said something. */
  heard(): void {
    this.#silentMs = 0;
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, timeoutMs, onSilent } = this.#settings;
    const pause = timeoutMs / LOOKS;
    this.#cancel = clock.after(pause, () => {
      // However late the look comes, only its pause counts.
      this.#silentMs += pause;
      if (this.#silentMs >= timeoutMs) onSilent();
      else this.#look();
    });
  }
}
