// Checks that what packages offer is explained: every name that a package exports (its `exports`, but for those that serve
// tests and those generated from proto/) and every public member of the classes, interfaces and object types among them has a
// docstring. A member that overrides or implements a documented one needs none of its own; a property declared in a
// constructor's parameters is explained there or in the constructor's docstring. Prints what is missing and exits with 1.
// It reads lines as biome formats them: declarations at the margin, members two spaces in.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DECLARATION =
  /^export (?:declare )?(?:abstract |async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/;
const WITH_MEMBERS = /^export (?:abstract )?(?:(?:class|interface)\b.*|type \w+(?:<.*>)? = (?:.*& )?)\{$/;
const MEMBER = /^ {2}(?:(?:readonly|abstract|static|async|get|set|public|declare) )*\*?(\w+)(?:[?(<:!;]| =)/;
const HIDDEN = /^ {2}(?:private|protected|override|static \{)|^ {2}(?:return|if|for|throw|await)\b/;

/** Sources behind a package's `exports`, as paths; none of a package that only tests import. */
function facesOf(folder) {
  const { exports = {}, orch } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  if (orch.floor === undefined) return [];
  return Object.entries(exports)
    .filter(([path, { source }]) => typeof source === 'string' && !/testing|types\//.test(path))
    .map(([, { source }]) => join(folder, source));
}

const modules = new Map();

/** A source: its lines, what it declares by name ({ name, file, at, lines }), and what it hands on ({ from, names? }). */
function moduleAt(file) {
  if (!modules.has(file)) modules.set(file, readModule(file));
  return modules.get(file);
}

function readModule(file) {
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n');
  const declared = new Map();
  lines.forEach((line, at) => {
    const name = DECLARATION.exec(line)?.[1];
    if (name && !declared.has(name)) declared.set(name, { name, file, at, lines });
  });
  const handed = [...text.matchAll(/^(?:export|import) (?:type )?(\*(?: as \w+)?|\{[^}]*\}) from '(\.[^']+)'/gm)].map(
    ([statement, names, from]) => ({
      exported: statement.startsWith('export'),
      names: names.startsWith('*')
        ? undefined
        : [...names.matchAll(/(?:type )?(\w+)(?: as \w+)?,?/g)].map(([, name]) => name),
      file: join(dirname(file), from.replace(/\.js$/, '.ts')),
    }),
  );
  return { declared, handed };
}

/** Declarations that a source offers, its own and those of others that it hands on. */
function* offeredBy(file) {
  const { declared, handed } = moduleAt(file);
  yield* declared.values();
  for (const { exported, names, file: from } of handed) {
    if (!exported) continue;
    for (const found of offeredBy(from)) if (!names || names.includes(found.name)) yield found;
  }
}

/** Where a name that a source uses is declared; undefined when it is another package's. */
function declarationOf(file, name) {
  const { declared, handed } = moduleAt(file);
  const from = handed.find(({ names }) => names?.includes(name));
  return declared.get(name) ?? (from && [...offeredBy(from.file)].find((found) => found.name === name));
}

/** Whether a docstring ends right above a line, decorators aside. */
function documented(lines, at) {
  let line = at - 1;
  while (lines[line]?.trim().startsWith('@')) line--;
  if (!lines[line]?.trim().endsWith('*/')) return false;
  while (line > 0 && !lines[line].includes('/*')) line--;
  return lines[line].trim().startsWith('/**');
}

/** Public members of a declaration: { name, at, has }. */
function membersOf({ lines, at }) {
  let open = at;
  while (open < lines.length && !/(?:[{;]|\{\})$/.test(lines[open])) open++;
  const header = lines
    .slice(at, open + 1)
    .join(' ')
    .replace(/\s+/g, ' ');
  if (!WITH_MEMBERS.test(header)) return { header, members: [] };
  const members = new Map();
  for (let line = open + 1; line < lines.length && !lines[line].startsWith('}'); line++) {
    if (lines[line].startsWith('  constructor(')) {
      for (const property of propertiesOf(lines, line)) members.set(property.name, property);
      continue;
    }
    const name = MEMBER.exec(lines[line])?.[1];
    if (name && !HIDDEN.test(lines[line]) && !members.has(name))
      members.set(name, { name, at: line, has: documented(lines, line) });
  }
  return { header, members: [...members.values()] };
}

/** Public properties among a constructor's parameters. */
function* propertiesOf(lines, at) {
  const explained = documented(lines, at);
  for (let line = at; ; line++) {
    for (const [, name] of lines[line].matchAll(/(?<!private |protected )\b(?:public |readonly )+(\w+)(?:\??:| =)/g))
      yield { name, at: line, has: explained || documented(lines, line) };
    if (/\) \{/.test(lines[line])) return;
  }
}

/** Whether a class or interface that a header names as its parent explains the member. */
function inherits(file, header, member) {
  let bare = header;
  while (/<[^<>]*>/.test(bare)) bare = bare.replace(/<[^<>]*>/g, '');
  const parents = /(?: extends | implements )(.*)\{$/.exec(bare)?.[1] ?? '';
  return [...parents.matchAll(/[A-Z]\w*/g)].some(([name]) => {
    const parent = declarationOf(file, name);
    if (!parent) return false;
    const { header: above, members } = membersOf(parent);
    return members.some((one) => one.name === member && one.has) || inherits(parent.file, above, member);
  });
}

const missing = [];
const seen = new Set();
for (const folder of readdirSync('libs').map((name) => join('libs', name))) {
  if (!existsSync(join(folder, 'package.json'))) continue;
  for (const declaration of facesOf(folder).flatMap((face) => [...offeredBy(face)])) {
    if (seen.has(declaration)) continue;
    seen.add(declaration);
    const { name, file, at, lines } = declaration;
    if (!documented(lines, at)) missing.push(`${file}:${at + 1} ${name}`);
    const { header, members } = membersOf(declaration);
    for (const member of members)
      if (!member.has && !inherits(file, header, member.name))
        missing.push(`${file}:${member.at + 1} ${name}.${member.name}`);
  }
}
for (const place of missing) console.error(`no docstring: ${place}`);
process.exitCode = missing.length > 0 ? 1 : 0;
