import { dirname } from 'node:path';
import { add, type Measured, packageOf } from './sources.js';

const SOURCES_IN_A_FOLDER = 24;
const LINES_OF_A_PACKAGE = 6000;
const LINES_OF_A_FILE = 300;

const linesOf = (text: string): number => text.split('\n').length - 1;

const above = (amounts: Measured, most: number): Measured =>
  new Map([...amounts].filter(([, amount]) => amount > most));

/** Folders with more than 24 sources: how many. */
export function largeFolders(sources: ReadonlyMap<string, string>): Measured {
  const found = new Map<string, number>();
  for (const path of sources.keys()) add(found, dirname(path));
  return above(found, SOURCES_IN_A_FOLDER);
}

/** Packages with more than 6,000 lines of sources: how many thousands, begun ones included. */
export function largePackages(sources: ReadonlyMap<string, string>): Measured {
  const found = new Map<string, number>();
  for (const [path, text] of sources) if (!path.startsWith('tools/')) add(found, packageOf(path), linesOf(text));
  return new Map([...above(found, LINES_OF_A_PACKAGE)].map(([name, lines]) => [name, Math.ceil(lines / 1000)]));
}

/** Files with more than 300 lines: how many. */
export function longFiles(sources: ReadonlyMap<string, string>): Measured {
  return above(new Map([...sources].map(([path, text]) => [path, linesOf(text)])), LINES_OF_A_FILE);
}
