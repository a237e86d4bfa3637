// Makes build/package/orch-<version>.tgz: what `npm i -g` needs to run `orch` and `orchctl` without this repository. Everything that it
// depends on lies in it, as package-lock.json pins it, but for the binaries of PostgreSQL, which are of one platform and
// optional. What runs is dist: run `npx tsc -b services/orch` and `node tools/bundle.mjs` before.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join, posix, relative, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';

const ROOT = resolve(import.meta.dirname, '..');
const PLACE = join(ROOT, 'build', 'package');
const LEFT_OUT = new Set(['src', 'bench', 'fuzz', 'node_modules', 'tsconfig.json', '.package-lock.json']);

/** Sizes of the format ustar, in bytes. */
const [BLOCK, NAME_BYTES, PREFIX_BYTES] = [512, 100, 155];
/** When npm says that all files of a package were made, in seconds: 26 October 1985. */
const PACKED_AT = 499_162_500;

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const isOurs = (folder) => !relative(ROOT, realpathSync(folder)).includes('node_modules');

/** Where Node finds a package from a folder. */
function find(name, from) {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === ROOT) throw new Error(`${name} is not installed: npm ci`);
  }
}

/** Folders of all packages that one needs, by where they are to lie in the package. */
function collect(folder, found = new Map()) {
  for (const name of Object.keys(manifestOf(folder).dependencies ?? {})) {
    const dependency = find(name, realpathSync(folder));
    const place = relative(ROOT, dependency);
    if (found.has(place)) continue;
    found.set(place, dependency);
    collect(dependency, found);
  }
  return found;
}

/** What a package of ours needs to run; of others everything but what they bring along for themselves. */
function* filesOf(from, place) {
  const source = realpathSync(from);
  const ours = isOurs(from);
  const isLeftOut = (inside) =>
    ours
      ? LEFT_OUT.has(inside) || /\.(map|d\.ts|tsbuildinfo|test\.js)$|(^|\/)testing$/.test(inside)
      : basename(inside) === 'node_modules';
  yield* walk('');
  function* walk(folder) {
    for (const name of readdirSync(join(source, folder))) {
      const inside = posix.join(folder, name);
      if (isLeftOut(inside)) continue;
      const path = join(source, inside);
      const stat = statSync(path);
      if (stat.isDirectory()) yield* walk(inside);
      else yield { name: posix.join(place, inside), content: readFileSync(path), isProgram: (stat.mode & 0o100) !== 0 };
    }
  }
}

function manifest(bundled) {
  const { version, license, engines } = manifestOf(ROOT);
  const top = [...bundled].filter(([place]) => !place.slice('node_modules/'.length).includes('node_modules/'));
  const dependencies = Object.fromEntries(
    top.map(([place, folder]) => [place.slice('node_modules/'.length), manifestOf(folder).version]).sort(),
  );
  return {
    name: 'orch',
    version,
    description: 'A cluster API on PostgreSQL, with a watch tier of its own',
    license,
    type: 'module',
    engines,
    bin: { orch: 'bin/orch.js', orchctl: 'bin/orchctl.js' },
    files: ['bin', 'dist', 'CHANGELOG.md'],
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    optionalDependencies: manifestOf(join(ROOT, 'libs', 'storage')).optionalDependencies,
  };
}

/** npm takes what a bundled package names for bundled: what is optional is named by the whole alone. */
function plain({ optionalDependencies, devDependencies, ...rest }) {
  return rest;
}

/** A file that is made here, in the place of one that may lie there. */
const made = (name, content) => ({ name, content: Buffer.from(content), isProgram: false });
const madeManifest = (place, content) =>
  made(posix.join(place, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);

/**
 * Files as `npm pack` writes them: below `package/`, with the time and the owner that it gives them, so that the same files make the same
 * bytes. `npm pack` itself takes a copy of all, and looks for ignore files in each of some thousand folders.
 */
function tarball(files) {
  const order = [...files].sort(
    ({ name: a }, { name: b }) => compare(extname(a), extname(b)) || compare(basename(a), basename(b)) || compare(a, b),
  );
  const blocks = order.flatMap(({ name, content, isProgram }) => [
    header(`package/${name}`, content.length, isProgram ? 0o755 : 0o644),
    content,
    Buffer.alloc(-content.length & (BLOCK - 1)),
  ]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** What resembles lies together, which packs better. */
const compare = (a, b) => (a < b ? -1 : Number(a > b));

/** The block before a file, in the format ustar. */
function header(path, size, mode) {
  const block = Buffer.alloc(BLOCK);
  const cut = Buffer.byteLength(path) > NAME_BYTES ? path.indexOf('/', Buffer.byteLength(path) - NAME_BYTES - 1) : -1;
  const [prefix, name] = [path.slice(0, Math.max(cut, 0)), path.slice(cut + 1)];
  if (Buffer.byteLength(name) > NAME_BYTES || Buffer.byteLength(prefix) > PREFIX_BYTES)
    throw new Error(`too long for an archive: ${path}`);
  const number = (value, digits) => `${value.toString(8).padStart(digits, '0')}\0`;
  block.write(name, 0);
  block.write(number(mode, 7) + number(0, 7) + number(0, 7) + number(size, 11) + number(PACKED_AT, 11), 100);
  block.write(`${' '.repeat(8)}0`, 148);
  block.write('ustar\u000000', 257);
  block.write(prefix, 345);
  const sum = block.reduce((all, byte) => all + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

const program = join(ROOT, 'services', 'orch');
if (!existsSync(join(program, 'dist', 'bundle')))
  throw new Error('nothing is built: npx tsc -b services/orch && node tools/bundle.mjs');
const bundled = collect(program);
const whole = manifest(bundled);
const files = [...filesOf(program, '')];
for (const [place, folder] of bundled) {
  files.push(...filesOf(folder, place));
  if (isOurs(folder)) files.push(madeManifest(place, plain(manifestOf(folder))));
}
files.push(...['LICENSE', 'README.md', 'CHANGELOG.md'].map((name) => made(name, readFileSync(join(ROOT, name)))));
files.push(madeManifest('', whole));
rmSync(PLACE, { recursive: true, force: true });
mkdirSync(PLACE, { recursive: true });
const file = join(PLACE, `${whole.name}-${whole.version}.tgz`);
// Of two of one name the latter holds.
const byName = new Map(files.map((entry) => [entry.name, entry]));
writeFileSync(file, gzipSync(tarball(byName.values()), { level: 9 }));
console.log(relative(ROOT, file));
