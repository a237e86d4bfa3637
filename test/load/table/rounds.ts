import type { Measurement } from '../report.js';
import { median } from '../summary.js';

/** Returns sides in the order of their turns in a round: every second round begins with the last. */
export const inTurn = <T>(sides: readonly T[], round: number): readonly T[] =>
  round % 2 === 0 ? sides : sides.toReversed();

/** Values of several rounds, by column and row. */
export class Rounds {
  readonly #columns = new Map<string, Map<string, { readonly row: Measurement; readonly values: number[] }>>();

  /** @param columns in the order in which they are printed */
  constructor(columns: readonly string[]) {
    for (const column of columns) this.#columns.set(column, new Map());
  }

  /** Adds what one round has measured for a column. */
  add(column: string, rows: readonly Measurement[]): void {
    const known = this.#columns.get(column) ?? new Map();
    this.#columns.set(column, known);
    for (const row of rows) {
      const found = known.get(row.name) ?? { row, values: [] };
      found.values.push(row.value);
      known.set(row.name, found);
    }
  }

  /** Returns the medians of each column's rounds, rows in the order in which they came. */
  medians(): Map<string, readonly Measurement[]> {
    return new Map(
      [...this.#columns].map(([column, rows]) => [
        column,
        [...rows.values()].map(({ row, values }) => ({ ...row, value: median(values) })),
      ]),
    );
  }
}
