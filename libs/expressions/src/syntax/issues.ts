import type { ExpressionSource, Location } from './source.js';

/** A fault of an expression. */
export interface Issue {
  /** Location of the fault. */
  readonly location: Location;
  /** Message in the reference's wording. */
  readonly message: string;
}

/** Limit of reported faults; further ones are only counted. */
const MOST_ISSUES = 100;
/** Bytes of a line that may be shown with a fault. */
const LONGEST_LINE = 16_384;

/** Thrown with the errors of an expression. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** @param issues at least one */
  constructor(
    readonly issues: readonly Issue[],
    message: string,
  ) {
    super(message);
  }
}

/** The faults found in one source. */
export class Issues {
  readonly #issues: Issue[] = [];
  #count = 0;

  constructor(readonly source: ExpressionSource) {}

  /** How many were reported, including those that are not kept. */
  get count(): number {
    return this.#count;
  }

  /** Adds a fault. */
  add(location: Location, message: string): void {
    this.#count++;
    if (this.#count <= MOST_ISSUES) this.#issues.push({ location, message });
  }

  /** @throws ExpressionError if there are any */
  throwIfAny(): void {
    if (this.#count > 0) throw new ExpressionError(this.#issues, this.#display());
  }

  /** Formats all of them by location, each with its line and a mark below it (cel-go, common/error.go). */
  #display(): string {
    this.#issues.sort((a, b) => a.location.line - b.location.line || a.location.column - b.location.column);
    const lines = new Map<number, readonly string[] | undefined>();
    const texts = this.#issues.map((issue) => {
      const { line } = issue.location;
      if (!lines.has(line)) lines.set(line, shownLine(this.source.line(line)));
      return displayed(issue, lines.get(line));
    });
    if (this.#count > MOST_ISSUES) texts.push(`${this.#count - MOST_ISSUES} more errors were truncated`);
    return texts.join('\n');
  }
}

const isWide = (point: string | undefined): boolean => point !== undefined && (point.codePointAt(0) as number) > 0x7f;

/** Returns the code points of a line; undefined if it is not shown. */
function shownLine(line: string | undefined): readonly string[] | undefined {
  if (line === undefined || Buffer.byteLength(line) > LONGEST_LINE) return undefined;
  return [...line.replaceAll('\t', ' ')];
}

function displayed({ location, message }: Issue, points: readonly string[] | undefined): string {
  const head = `ERROR: <input>:${location.line}:${location.column + 1}: ${message}`;
  if (points === undefined) return head;
  const before = points.slice(0, location.column).map((point) => (isWide(point) ? '．' : '.'));
  const mark = isWide(points[location.column]) ? '＾' : '^';
  return `${head}\n | ${points.join('')}\n | ${before.join('')}${mark}`;
}
