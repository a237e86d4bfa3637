import type { Clock } from '@orch/runtime';

/** Looks in the time that a worker may be silent. */
const CHECKS = 12;

interface SilenceWatchSettings {
  readonly clock: Clock;
  /** Milliseconds for which a worker may send no message. */
  readonly timeoutMs: number;
  /** Milliseconds that it has until its first message, if they are more. */
  readonly startMs: number;
  /** Called once, when it has been silent for that long. */
  readonly onSilent: () => void;
}

/**
 * Detects a worker that is alive but does nothing, as one whose event loop is blocked: its connections stay open and
 * are not answered. Times in which this process itself stood still do not count: the worker may have stood still with
 * it.
 */
export class SilenceWatch {
  readonly #settings: SilenceWatchSettings;
  #silentMs = 0;
  #allowedMs: number;
  #cancel: () => void = () => {};

  constructor(settings: SilenceWatchSettings) {
    this.#settings = settings;
    this.#allowedMs = Math.max(settings.startMs, settings.timeoutMs);
    this.#look();
  }

  /** Records a sign of life of the worker. */
  messageReceived(): void {
    this.#silentMs = 0;
    this.#allowedMs = this.#settings.timeoutMs;
  }

  /** Stops watching. */
  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, timeoutMs, onSilent } = this.#settings;
    const pause = timeoutMs / CHECKS;
    this.#cancel = clock.after(pause, () => {
      // However late the look comes, only its pause counts.
      this.#silentMs += pause;
      if (this.#silentMs >= this.#allowedMs) onSilent();
      else this.#look();
    });
  }
}
