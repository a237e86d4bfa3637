import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('./seeds.jsonl', import.meta.url));

/** One run of a scenario, as a line of `seeds.jsonl`. */
export interface SeedRecord {
  readonly scenario: string;
  readonly seed: number;
  readonly scale: number;
  readonly seconds: number;
  readonly passed: boolean;
  /** Those that were broken. */
  readonly rules: readonly string[];
}

/** Appends a run to the log of seeds, which is kept with the code. */
export function keepSeed(record: SeedRecord): void {
  const day = new Date().toISOString().slice(0, 10);
  appendFileSync(FILE, `${JSON.stringify({ day, ...record })}\n`);
}
