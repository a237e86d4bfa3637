/**
 * Writes `libs/schema/src/gen` from `proto/`. With `--check` it writes nothing and fails if what is there differs.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emitDescriptors } from './emit-descriptors.js';
import { emitStreams } from './emit-streams.js';
import { emitTypes } from './emit-types.js';
import { parseProtos } from './parse-protos.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OUT = join(ROOT, 'libs', 'schema', 'src', 'gen');

/** File contents by path under the output folder. */
function generate(): ReadonlyMap<string, string> {
  const files = parseProtos(join(ROOT, 'proto'));
  return new Map([
    ['descriptors.ts', emitDescriptors(files)],
    ['streams.ts', emitStreams(files)],
    ...files.map((file): [string, string] => [join('types', `${file.package}.ts`), emitTypes(file)]),
  ]);
}

function existing(): ReadonlyMap<string, string> {
  const names = readdirSync(OUT, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  return new Map(names.map((name) => [name, readFileSync(join(OUT, name), 'utf8')]));
}

function check(wanted: ReadonlyMap<string, string>): void {
  const found = existing();
  const stale = [...new Set([...wanted.keys(), ...found.keys()])].filter(
    (name) => wanted.get(name) !== found.get(name),
  );
  if (stale.length === 0) return;
  console.error(`stale, run \`npm run generate\`:\n${stale.map((name) => `  ${name}`).join('\n')}`);
  process.exitCode = 1;
}

function write(wanted: ReadonlyMap<string, string>): void {
  rmSync(OUT, { recursive: true, force: true });
  for (const [name, content] of wanted) {
    const path = join(OUT, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
}

const wanted = generate();
if (process.argv.includes('--check')) check(wanted);
else write(wanted);
