import { type Clock, systemClock } from '@orch/runtime';

/** Milliseconds that changes may be held up by one that cannot be read for now. */
export const STALL_MS = 5_000;

/**
 * Detects changes that are held up for too long by one whose key service does not answer (`onStalledHistory` of
 * stores).
 */
export class Stall {
  #since: number | undefined;

  constructor(private readonly clock: Clock = systemClock) {}

  /** To be called with each notification of that. @returns whether it has lasted for {@link STALL_MS} */
  isTooLong(): boolean {
    const now = this.clock.now();
    this.#since ??= now;
    return now - this.#since >= STALL_MS;
  }

  /** Records that changes have arrived, or that others are waited for. */
  over(): void {
    this.#since = undefined;
  }
}
