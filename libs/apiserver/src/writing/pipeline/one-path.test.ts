import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../..', import.meta.url));
const MAY_WRITE = [
  // Rows that are no objects: who holds which address.
  'writing/charges/store-claims.ts',
  'writing/pipeline/commit.ts',
  'writing/pipeline/shared-updates.ts',
];

it('nothing but the pipeline writes objects to the store', () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' });
  const sources = files.filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing/'),
  );
  const writing = sources.filter((file) => /\bstore\s*\.write(Set)?\(/i.test(readFileSync(join(SOURCE, file), 'utf8')));
  expect(writing.sort()).toEqual(MAY_WRITE);
  const committing = sources.filter((file) => /\/commit\.js'/.test(readFileSync(join(SOURCE, file), 'utf8')));
  expect(committing.sort()).toEqual(['writing/pipeline/write-pipeline.ts', 'writing/pipeline/write-sets.ts']);
});
