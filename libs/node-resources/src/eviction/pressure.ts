import { exceeded, type Observations, type PressureType, SIGNALS, type Threshold } from './thresholds.js';

/** Remembers which thresholds are exceeded since when, and which conditions of the node follow. */
export class Pressure {
  #met: Threshold[] = [];
  readonly #since = new Map<Threshold, number>();
  readonly #lastSeen = new Map<PressureType, number>();
  #conditions: readonly PressureType[] = [];

  /**
   * @param thresholds all thresholds
   * @param transitionMs time that a pressure has to be gone before its condition ends
   */
  constructor(
    private readonly thresholds: readonly Threshold[],
    private readonly transitionMs: number,
  ) {}

  /** Conditions of the node that hold. */
  get conditions(): readonly PressureType[] {
    return this.#conditions;
  }

  /** Takes over what was measured. @param now ms @returns thresholds exceeded for longer than their grace period */
  note(observations: Observations, now: number): Threshold[] {
    // One that was exceeded is so until what is to be reclaimed is there.
    const unresolved = new Set(exceeded(this.#met, observations, true));
    const fresh = new Set(exceeded(this.thresholds, observations, false));
    const all = this.thresholds.filter((threshold) => unresolved.has(threshold) || fresh.has(threshold));
    for (const threshold of this.#since.keys()) if (!all.includes(threshold)) this.#since.delete(threshold);
    for (const threshold of all) {
      if (!this.#since.has(threshold)) this.#since.set(threshold, now);
      this.#lastSeen.set(SIGNALS[threshold.signal].condition, now);
    }
    this.#conditions = [...this.#lastSeen]
      .filter(([, at]) => at === now || now - at < this.transitionMs)
      .map(([type]) => type);
    this.#met = all.filter((threshold) => now - (this.#since.get(threshold) ?? now) >= threshold.graceMs);
    return this.#met;
  }
}
