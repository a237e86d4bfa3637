/** A place in a source: line from 1, column from 0, both in code points. */
export interface Location {
  /** From 1; -1 if the fault has no location. */
  readonly line: number;
  /** From 0; -1 if the fault has no location. */
  readonly column: number;
}

/** Location of faults in the expression as a whole. */
export const NO_LOCATION: Location = { line: -1, column: -1 };

/** An expression's text by code points, the unit of positions. */
export class ExpressionSource {
  /** The text, one element for each code point. */
  readonly points: readonly string[];
  /** Offset behind the end of each line, where the next begins. */
  readonly #lineEnds: readonly number[];

  constructor(readonly text: string) {
    this.points = [...text];
    const ends: number[] = [];
    for (const [offset, point] of this.points.entries()) if (point === '\n') ends.push(offset + 1);
    ends.push(this.points.length + 1);
    this.#lineEnds = ends;
  }

  /** Returns the location of an offset in code points. */
  locationOf(offset: number): Location {
    const line = this.#linesBefore(offset + 1);
    return { line: line + 1, column: offset - (line === 0 ? 0 : (this.#lineEnds[line - 1] as number)) };
  }

  /**
   * Location of an offset in messages of the type check: the first position of a line is given as the end of the line
   * before, as in the reference (checker.go, locationByID).
   */
  checkedLocationOf(offset: number): Location {
    const line = this.#linesBefore(offset);
    return { line: line + 1, column: offset - (line === 0 ? 0 : (this.#lineEnds[line - 1] as number)) };
  }

  /** Returns the text of a line, without its end; undefined if there is none. */
  line(line: number): string | undefined {
    if (line < 1 || line > this.#lineEnds.length || this.points.length === 0) return undefined;
    const start = line === 1 ? 0 : (this.#lineEnds[line - 2] as number);
    return this.points.slice(start, (this.#lineEnds[line - 1] as number) - 1).join('');
  }

  /** Counts the lines that end before an offset. */
  #linesBefore(offset: number): number {
    let [low, high] = [0, this.#lineEnds.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#lineEnds[middle] as number) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
