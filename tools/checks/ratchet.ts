import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from './sources.js';

/** Amounts that are tolerated, by name. They may only shrink. */
type Known = Readonly<Record<string, number>>;

const FOLDER = 'tools/checks/known';

/** A bound on the sources, with tolerated excesses. */
export interface Bound {
  /** Names the file of its tolerances. */
  readonly name: string;
  /** Unit of the amounts, with the limit. */
  readonly unit: string;
  /** Amounts that exceed the bound. */
  readonly measured: Measured;
}

/** Compares amounts with the tolerated ones. @returns a sentence for each excess and for each tolerance too wide */
export function problemsOf({ name: check, unit, measured }: Bound, known: Known): string[] {
  const excess = [...measured]
    .filter(([name, amount]) => amount > (known[name] ?? 0))
    .map(([name, amount]) => `${check}: ${name}: ${amount} ${unit}; tolerated: ${known[name] ?? 'none'}`);
  const wide = Object.entries(known)
    .filter(([name, amount]) => (measured.get(name) ?? 0) < amount)
    .map(
      ([name, amount]) => `${check}: ${name}: ${amount} tolerated, ${measured.get(name) ?? 0} left: run with --shrink`,
    );
  return [...excess, ...wide];
}

/** Narrows tolerances to the measured amounts; widens none and adds none. */
export function shrunk(measured: Measured, known: Known): Known {
  const narrow = Object.entries(known).map(
    ([name, amount]) => [name, Math.min(amount, measured.get(name) ?? 0)] as const,
  );
  return Object.fromEntries(narrow.filter(([, amount]) => amount > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Reads the tolerances of a check. */
export const readKnown = (check: string): Known => JSON.parse(readFileSync(join(FOLDER, `${check}.json`), 'utf8'));

/** Writes the tolerances of a check. */
export function writeKnown(check: string, known: Known): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${check}.json`), `${JSON.stringify(known, null, 2)}\n`);
}
