import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measured } from './sources.js';

const COLUMNS = 160;

/** A table that tools/reference writes: rows cannot be wrapped. */
const GENERATED = 'docs/reference.md';

/** Reads the documents of the repository by path, but for the generated one. */
export function readDocuments(): Map<string, string> {
  const pages = readdirSync('docs', { encoding: 'utf8', recursive: true }).map((name) => join('docs', name));
  const others = readdirSync('.').concat(
    readdirSync('test', { encoding: 'utf8', recursive: true }).map((name) => join('test', name)),
  );
  const wanted = [...others, ...pages].filter(
    (name) => name.endsWith('.md') && name !== GENERATED && !name.includes('node_modules'),
  );
  return new Map(wanted.sort().map((path) => [path, readFileSync(path, 'utf8')]));
}

/** Documents with lines of more than 160 characters, rows of tables aside, which cannot be wrapped: how many lines. */
export function longLines(documents: ReadonlyMap<string, string>): Measured {
  const counted = [...documents].map(
    ([path, text]) =>
      [path, text.split('\n').filter((line) => line.length > COLUMNS && !line.startsWith('|')).length] as const,
  );
  return new Map(counted.filter(([, lines]) => lines > 0));
}
