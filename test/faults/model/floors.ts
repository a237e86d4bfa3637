interface Reading {
  /** Monotonic ms, after the database was asked. */
  readonly at: number;
  readonly floor: number;
  /** The last change that was committed. Default: none yet. */
  readonly head?: number;
}

/** How far history reached back, over the time of a run. A 410 is judged by what was true when it came. */
export class Floors {
  readonly #readings: Reading[] = [];

  /** @param retention ms for which servers promise to keep changes */
  constructor(private readonly retention = Number.POSITIVE_INFINITY) {}

  static of(retention: number, ...readings: readonly Reading[]): Floors {
    const floors = new Floors(retention);
    for (const reading of readings) floors.note(reading);
    return floors;
  }

  /** @param reading not from before those that were noted already */
  note(reading: Reading): void {
    this.#readings.push(reading);
  }

  /** History at or below this version may have been dropped by a moment: as it was found to be right after. */
  at(moment: number): number {
    return this.#rightAfter(moment)?.floor ?? this.last;
  }

  /**
   * What rings may have let go by a moment, though the database keeps it longer (design, watch: who stalls until the ring
   * has passed him is told 410): the head of one retention before.
   */
  outOfRings(moment: number): number {
    return Math.max(this.at(moment), this.#rightAfter(moment - this.retention)?.head ?? 0);
  }

  #rightAfter(moment: number): Reading | undefined {
    return this.#readings.find(({ at }) => at >= moment);
  }

  /** The floor at the end of the run. */
  get last(): number {
    return this.#readings.at(-1)?.floor ?? 0;
  }
}
