// Checks that what packages offer each other is explained: every name that an index.ts exports, and every public member of
// the interfaces and classes among them, has a docstring or says all in its name and type (readonly fields of one word aside,
// nothing does). Prints what is missing, by package; with --list every place.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const list = process.argv.includes('--list');

/** Faces of a package: the sources behind its `exports`, but for those that serve tests. */
function facesOf(folder) {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([path, { source }]) => typeof source === 'string' && !path.includes('testing') && !path.includes('types/'))
    .map(([, { source }]) => join(folder, source));
}

const sourceOf = (from, path) => join(dirname(from), path.replace(/\.js$/, '.ts'));

/** Where the names of a face are declared: pairs of file and name, `*` for all that a file exports. */
function* exportsOf(file) {
  const text = readFileSync(file, 'utf8');
  for (const [, from] of text.matchAll(/export (?:type )?\* (?:as \w+ )?from '(\.[^']+)'/g))
    yield* declaredIn(sourceOf(file, from));
  for (const [, names, from] of text.matchAll(/export (?:type )?\{([^}]*)\} from '(\.[^']+)'/g)) {
    for (const name of names
      .split(',')
      .map((one) =>
        one
          .replace(/\btype\b/, '')
          .split(' as ')[0]
          .trim(),
      )
      .filter(Boolean))
      yield* resolve(sourceOf(file, from), name);
  }
  if (!/^export .* from/m.test(text)) yield* declaredIn(file);
}

function* declaredIn(file) {
  for (const [, name] of readFileSync(file, 'utf8').matchAll(
    /^export (?:abstract |async )?(?:const|function\*?|class|interface|type|enum) (\w+)/gm,
  ))
    yield [file, name];
  if (/^export .* from '\./m.test(readFileSync(file, 'utf8'))) yield* exportsOf(file);
}

function* resolve(file, name) {
  if (
    new RegExp(`^export (?:abstract |async )?(?:const|function\\*?|class|interface|type|enum) ${name}\\b`, 'm').test(
      readFileSync(file, 'utf8'),
    )
  )
    yield [file, name];
  else for (const [at, found] of exportsOf(file)) if (found === name) yield [at, found];
}

const documented = (lines, at) => {
  let before = at - 1;
  while (before >= 0 && lines[before].trim().startsWith('@')) before--;
  return before >= 0 && lines[before].trim().endsWith('*/');
};

/** Places of a declaration that have no docstring: itself, and its public members. */
function* missing(file, name) {
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) =>
    new RegExp(`^export (?:abstract |async )?(?:const|function\\*?|class|interface|type|enum) ${name}\\b`).test(line),
  );
  if (at < 0) return;
  yield [at, name, documented(lines, at)];
  if (
    !/^export (?:abstract )?(?:class|interface) |^export type \w+ = \{$/.test(lines[at]) ||
    !lines[at].trim().endsWith('{')
  )
    return;
  for (let line = at + 1; line < lines.length && !lines[line].startsWith('}'); line++) {
    const member = /^ {2}(?:readonly |abstract |static |async |get |set )*([a-z]\w*)[?(<:!]/.exec(lines[line]);
    if (!member || /^ {2}(?:private|protected|constructor)\b/.test(lines[line]) || member[1] === 'constructor')
      continue;
    yield [line, `${name}.${member[1]}`, documented(lines, line)];
  }
}

let total = 0;
let without = 0;
for (const folder of readdirSync('libs').map((name) => join('libs', name))) {
  if (!existsSync(join(folder, 'package.json'))) continue;
  const seen = new Set();
  const bare = [];
  let all = 0;
  for (const face of facesOf(folder)) {
    for (const [file, name] of exportsOf(face)) {
      if (seen.has(`${file} ${name}`)) continue;
      seen.add(`${file} ${name}`);
      for (const [line, member, has] of missing(file, name)) {
        all++;
        if (!has) bare.push(`${relative('.', file)}:${line + 1} ${member}`);
      }
    }
  }
  total += all;
  without += bare.length;
  console.log(`${folder}: ${all - bare.length} of ${all} documented`);
  if (list) for (const place of bare) console.log(`  ${place}`);
}
console.log(`docs: ${total - without} of ${total}`);
