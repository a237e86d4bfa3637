import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const LIBS = fileURLToPath(new URL('../../..', import.meta.url));
/** The store itself, and what stands around it, forward what is written. */
const STORES = /^(storage|encryption)\//;
const MAY_WRITE = [
  // Rows that are no objects: who holds which address.
  'writing/src/charges/store-claims.ts',
  'writing/src/pipeline/committer.ts',
];
const isSource = (file: string) => /^[^/]+\/src\/.*\.ts$/.test(file) && !/\.test\.ts$|\/testing\//.test(file);

it('nothing but the pipeline writes objects to the store', () => {
  const files = readdirSync(LIBS).flatMap((name) =>
    readdirSync(join(LIBS, name, 'src'), { recursive: true, encoding: 'utf8' }).map((file) => `${name}/src/${file}`),
  );
  const sources = files.filter((file) => isSource(file) && !STORES.test(file) && !file.startsWith('testing/'));
  const writing = sources.filter((file) => /\bstore\s*\.write(Set)?\(/i.test(readFileSync(join(LIBS, file), 'utf8')));
  expect(writing.sort()).toEqual(MAY_WRITE);
  const committing = sources.filter((file) => /\/committer\.js'/.test(readFileSync(join(LIBS, file), 'utf8')));
  expect(committing.sort()).toEqual(
    ['guarded-creation', 'shared-updates', 'single-write', 'write-pipeline', 'write-sets'].map(
      (name) => `writing/src/pipeline/${name}.ts`,
    ),
  );
});
