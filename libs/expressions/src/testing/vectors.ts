import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const facts = join(process.env.ORCH_SHARED ?? join(root, '../shared'), 'facts');

/** Whether the shared test vectors are on this machine. */
export const haveVectors = existsSync(facts);

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;
const MARK = '\u0000integer:';

/** JSON with integers beyond 2^53 as bigint. */
export function parseExactly(text: string): unknown {
  const marked = text.replace(TOKEN, (token) => (token.startsWith('"') ? token : JSON.stringify(MARK + token)));
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? BigInt(value.slice(MARK.length)) : value,
  );
}

/** Records of a file of vectors; none when the vectors are absent. */
export function vectors<T>(file: string): T[] {
  if (!haveVectors) return [];
  const lines = readFileSync(join(facts, file), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => parseExactly(line) as T);
}
