interface Reading {
  /** Monotonic ms, after the database was asked. */
  readonly at: number;
  readonly floor: number;
}

/** How far history reached back, over the time of a run. A 410 is judged by what was true when it came. */
export class Floors {
  readonly #readings: Reading[] = [];

  static of(...readings: readonly Reading[]): Floors {
    const floors = new Floors();
    for (const { at, floor } of readings) floors.note(at, floor);
    return floors;
  }

  /** @param at not before those that were noted already */
  note(at: number, floor: number): void {
    this.#readings.push({ at, floor });
  }

  /** History at or below this version may have been dropped by a moment: as it was found to be right after. */
  at(moment: number): number {
    return this.#readings.find(({ at }) => at >= moment)?.floor ?? this.last;
  }

  /** As it was in the end. */
  get last(): number {
    return this.#readings.at(-1)?.floor ?? 0;
  }
}
