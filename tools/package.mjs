// Makes build/package/orch-<version>.tgz: what `npm i -g` needs to run `orch` and `orchctl` without this repository. Everything that it
// depends on lies in it, as package-lock.json pins it, but for the binaries of PostgreSQL, which are of one platform and
// optional. What runs is dist: run `npx tsc -b services/orch` and `node tools/bundle.mjs` before.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const PLACE = join(ROOT, 'build', 'package');
const STAGE = join(PLACE, 'stage');
const LEFT_OUT = new Set(['src', 'bench', 'fuzz', 'node_modules', 'tsconfig.json', '.package-lock.json']);

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
function copy(from, to) {
  const source = realpathSync(from);
  const ours = isOurs(from);
  cpSync(source, to, {
    recursive: true,
    dereference: true,
    filter(path) {
      const inside = relative(source, path);
      if (inside === '') return true;
      if (!ours) return !inside.split('/').includes('node_modules');
      return !LEFT_OUT.has(inside) && !/\.(map|d\.ts|tsbuildinfo|test\.js)$|\/testing$/.test(path);
    },
  });
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

function writeManifest(folder, content) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(content, null, 2)}\n`);
}

rmSync(PLACE, { recursive: true, force: true });
mkdirSync(STAGE, { recursive: true });
const program = join(ROOT, 'services', 'orch');
if (!existsSync(join(program, 'dist', 'bundle')))
  throw new Error('nothing is built: npx tsc -b services/orch && node tools/bundle.mjs');
const bundled = collect(program);
copy(program, STAGE);
for (const [place, folder] of bundled) {
  copy(folder, join(STAGE, place));
  if (isOurs(folder)) writeManifest(join(STAGE, place), plain(manifestOf(folder)));
}
for (const name of ['LICENSE', 'README.md', 'CHANGELOG.md']) cpSync(join(ROOT, name), join(STAGE, name));
writeManifest(STAGE, manifest(bundled));
const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', PLACE];
const [{ filename }] = JSON.parse(execFileSync('npm', args, { cwd: STAGE, encoding: 'utf8', maxBuffer: 64 << 20 }));
rmSync(STAGE, { recursive: true });
console.log(join('build', 'package', basename(filename)));
