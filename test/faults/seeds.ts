import { appendFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('./seeds.jsonl', import.meta.url));

/** A run of a scenario: a line of `seeds.jsonl`. */
export interface SeedRecord {
  readonly scenario: string;
  readonly seed: number;
  readonly scale: number;
  readonly seconds: number;
  readonly passed: boolean;
  /** Violated rules. */
  readonly rules: readonly string[];
}

/** Appends a run to the log of seeds, which is kept with the code. */
export function keepSeed(record: SeedRecord): void {
  const day = new Date().toISOString().slice(0, 10);
  appendFileSync(FILE, `${JSON.stringify({ day, ...record })}\n`);
}
