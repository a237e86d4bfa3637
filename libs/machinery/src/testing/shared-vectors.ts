import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const facts = join(process.env.ORCH_SHARED ?? join(root, '../shared'), 'facts');

/** Whether the shared test vectors are on this machine. */
export const haveVectors = existsSync(facts);

/** Records of a file of vectors; none when the vectors are absent. @param kind of the records; default all */
export function sharedVectors<T>(file: string, kind?: string): T[] {
  if (!haveVectors) return [];
  const lines = readFileSync(join(facts, file), 'utf8').split('\n');
  const records = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T & { kind?: string });
  return records.filter((record) => kind === undefined || record.kind === kind);
}
