import { readFileSync } from 'node:fs';

/** What each line of a file beside a test says. @param from `import.meta.url` of the test */
export function vectorsOf<T>(file: string, from: string): T[] {
  const lines = readFileSync(new URL(file, from), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}
