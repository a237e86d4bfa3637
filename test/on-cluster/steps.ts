import type { Load, LoadCounts } from './load.js';

/** Effects of a step on writers and watchers. */
export interface Row {
  readonly step: string;
  readonly seconds: number;
  readonly writes: number;
  readonly failedWrites: number;
  readonly lists: number;
  /** Streams that were opened anew, and of those that ended, the ones that were cut. */
  readonly streams: number;
  readonly cut: number;
  readonly refused: number;
}

const COLUMNS = ['step', 'seconds', 'writes', 'failedWrites', 'lists', 'streams', 'cut', 'refused'] as const;

/** Measures steps one after another. */
export class Steps {
  readonly rows: Row[] = [];

  constructor(private readonly load: () => Load | undefined) {}

  /** Does something, and notes what came of it. */
  async take(step: string, work: () => Promise<void>): Promise<Row> {
    const before = this.load()?.counts;
    const started = performance.now();
    try {
      await work();
    } catch (error) {
      console.log(`${step}:`, error);
      throw error;
    } finally {
      this.#note(step, before, started);
    }
    return this.rows.at(-1) as Row;
  }

  #note(step: string, before: LoadCounts | undefined, started: number): void {
    const seconds = Math.round((performance.now() - started) / 1000);
    const row = { step, seconds, ...difference(before, this.load()?.counts) };
    this.rows.push(row);
    console.log(`${step}: ${JSON.stringify(row)}`);
  }

  /** All of it as a table of Markdown. */
  get table(): string {
    const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
    const rows = this.rows.map((row) => line(COLUMNS.map((column) => row[column])));
    return [line(COLUMNS), line(COLUMNS.map(() => '---')), ...rows].join('\n');
  }
}

function difference(before: LoadCounts | undefined, after: LoadCounts | undefined) {
  const of = (key: keyof LoadCounts) => (after?.[key] ?? 0) - (before?.[key] ?? after?.[key] ?? 0);
  const counts = { writes: of('writes'), failedWrites: of('failedWrites'), lists: of('lists') };
  return { ...counts, streams: of('streams'), cut: of('cut'), refused: of('refused') };
}
