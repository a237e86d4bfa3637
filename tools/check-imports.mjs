// Checks who imports whom, types included. A library imports another one only if its package.json names it among `dependencies`, if the other
// stands on a lower floor, and by a path that the other exports; libraries without `io` import no I/O modules of node. Tests import any
// library, by the paths that it exports. Nothing imports a service but the executable. Prints each problem and exits with 1.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isSource, readRooms } from './rooms.mjs';

const IO = new Set([
  'fs',
  'fs/promises',
  'net',
  'tls',
  'http',
  'https',
  'http2',
  'child_process',
  'dgram',
  'dns',
  'cluster',
]);
const SERVICES = readdirSync('services');
/** Names of the packages of services, without the scope. */
const SERVICE_NAMES = SERVICES.map((folder) =>
  JSON.parse(readFileSync(join('services', folder, 'package.json'), 'utf8')).name.replace('@orch/', ''),
);
/** What only tests import: it stands on no floor. */
const TESTING = 'testing';
const rooms = new Map(readRooms().map((room) => [room.name, room]));
const problems = [];

function* sources(dir) {
  for (const entry of readdirSync(dir)) {
    if (entry === 'dist' || entry === 'node_modules') continue;
    const path = join(dir, entry);
    if (statSync(path).isDirectory()) yield* sources(path);
    else if (entry.endsWith('.ts')) yield path;
  }
}

const importsOf = (text) =>
  [...text.matchAll(/(?:^|\s)(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)/g)].map(
    (m) => m[1] ?? m[2],
  );

/** Finds what a package says of itself that cannot be so. */
function checkRoom({ name, floor, io, room, dependencies }) {
  if (typeof room !== 'string' || typeof io !== 'boolean')
    problems.push(`libs/${name}: package.json lacks orch.room or orch.io`);
  if (name === TESTING) return;
  if (!Number.isInteger(floor)) problems.push(`libs/${name}: package.json lacks orch.floor`);
  for (const dependency of dependencies)
    if (!(rooms.get(dependency)?.floor < floor))
      problems.push(`libs/${name} (floor ${floor}) depends on ${dependency}, which stands on no lower floor`);
}

/** Finds what is wrong with one import of a library's file. */
function checkImport(file, room, target) {
  const source = room.name !== TESTING && isSource(file);
  const own = target.match(/^@orch\/([^/]+)(\/.*)?$/);
  if (own) checkPackage(file, room, source, own);
  else if (source && !room.io && IO.has(target.replace(/^node:/, '')))
    problems.push(`${file}: ${room.name} has no I/O and may not import ${target}`);
  else if (/^(\.\.\/)+(libs|services|test)\//.test(target))
    problems.push(`${file}: reaches into another package (${target})`);
}

function checkPackage(file, room, source, [target, name, path = '']) {
  const other = rooms.get(name);
  if (SERVICE_NAMES.includes(name)) return problems.push(`${file}: imports a service (${target})`);
  if (!other) return problems.push(`${file}: there is no package ${target}`);
  if (source && (name === room.name || !room.dependencies.includes(name)))
    problems.push(`${file}: ${room.name} may not import ${name}`);
  if (path !== '' && !other.exports.some((exported) => patternOf(exported).test(`.${path}`)))
    problems.push(`${file}: ${target} is not exported`);
}

const patternOf = (exported) => new RegExp(`^${exported.replaceAll('.', '\\.').replace('*', '.+')}$`);

for (const room of rooms.values()) {
  checkRoom(room);
  const used = new Set();
  for (const file of sources(join(room.folder, 'src'))) {
    for (const target of importsOf(readFileSync(file, 'utf8'))) {
      checkImport(file, room, target);
      used.add(target.match(/^@orch\/([^/]+)/)?.[1]);
    }
  }
  for (const dependency of room.dependencies)
    if (!used.has(dependency)) problems.push(`libs/${room.name}: nothing imports its dependency ${dependency}`);
}

for (const service of SERVICES) {
  if (service === 'orch') continue; // The executable joins the services.
  for (const file of sources(join('services', service, 'src')))
    for (const target of importsOf(readFileSync(file, 'utf8')))
      if (SERVICE_NAMES.includes(target.match(/^@orch\/([^/]+)/)?.[1]))
        problems.push(`${file}: imports a service (${target})`);
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`imports: clean, ${rooms.size} packages`);
