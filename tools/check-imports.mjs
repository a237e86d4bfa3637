// Checks who imports whom: packages only through their public face, only downwards, the pure ones no I/O; and so the rooms of the API server.
// The allowed edges are the layers of docs/architecture.md.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What each package may import beside itself; `io` says whether it may touch node's I/O modules. */
const RULES = {
  machinery: { uses: [], io: false },
  schema: { uses: ['machinery'], io: false },
  codec: { uses: ['machinery', 'schema'], io: false },
  merge: { uses: ['machinery', 'schema'], io: false },
  expressions: { uses: ['machinery', 'schema'], io: false },
  kinds: { uses: ['machinery', 'schema', 'codec', 'expressions'], io: false },
  quota: { uses: ['machinery'], io: false },
  tls: { uses: [], io: true },
  storage: { uses: ['tls'], io: true },
  encryption: { uses: ['machinery', 'codec', 'storage', 'runtime'], io: true },
  feed: { uses: ['storage', 'runtime', 'tls'], io: true },
  watchcache: { uses: ['storage', 'feed', 'runtime'], io: false },
  runtime: { uses: [], io: true },
  authentication: { uses: ['machinery'], io: true },
  authorization: { uses: ['machinery', 'authentication'], io: false },
  admission: {
    uses: [
      'machinery',
      'schema',
      'authentication',
      'authorization',
      'kinds',
      'quota',
      'expressions',
      'runtime',
      'webhooks',
    ],
    io: false,
  },
  client: { uses: ['machinery', 'tls'], io: true },
  webhooks: { uses: ['client', 'tls'], io: true },
  flowcontrol: { uses: ['machinery', 'kinds', 'runtime'], io: false },
  audit: {
    uses: ['machinery', 'schema', 'codec', 'runtime', 'client'],
    io: true,
  },
  apiserver: {
    uses: [
      'machinery',
      'schema',
      'codec',
      'merge',
      'kinds',
      'storage',
      'encryption',
      'feed',
      'watchcache',
      'authentication',
      'authorization',
      'admission',
      'quota',
      'audit',
      'flowcontrol',
      'runtime',
      'tls',
      'client',
      'webhooks',
    ],
    io: true,
  },
};
/**
 * The rooms of `libs/apiserver/src`, its folders, and the floor that each stands on: a room imports, types included, from rooms on lower
 * floors alone. Tests import what they like.
 */
const ROOMS = {
  work: 1,
  informers: 2,
  resources: 3,
  reading: 4,
  serving: 5,
  writing: 5,
  handlers: 6,
  credentials: 6,
  'custom-resources': 6,
  access: 7,
  fairness: 7,
  discovery: 7,
  'admission-host': 8,
  aggregation: 9,
  maintenance: 9,
  metrics: 10,
  server: 10,
  workers: 10,
};
/** The rooms that put a process together: they import each other. */
const PROCESS_FLOOR = 10;
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

function* sources(dir) {
  for (const entry of readdirSync(dir)) {
    if (entry === 'dist' || entry === 'node_modules') continue;
    const path = join(dir, entry);
    if (statSync(path).isDirectory()) yield* sources(path);
    else if (entry.endsWith('.ts')) yield path;
  }
}

const problems = [];
const ROOM = /^libs\/apiserver\/src\/([^/]+)\//;
const roomOf = (file) => ROOM.exec(file)?.[1];
const isTest = (file) => file.endsWith('.test.ts') || file.includes('/testing/');

/** Finds imports that go up, or sideways, among the rooms of the API server. */
function checkRoom(file, target) {
  const [from, to] = [roomOf(file), target.startsWith('.') ? roomOf(join(dirname(file), target)) : undefined];
  if (!from || !to || from === to || isTest(file)) return;
  if (!(from in ROOMS)) problems.push(`${file}: the room ${from} has no floor`);
  else if (!(ROOMS[to] < ROOMS[from]) && !(ROOMS[to] === ROOMS[from] && ROOMS[from] === PROCESS_FLOOR))
    problems.push(`${file}: ${from} may not import ${to} (${target})`);
}

const importsOf = (text) =>
  [...text.matchAll(/(?:^|\s)(?:import|export)\s[^'"]*?from\s+'([^']+)'|import\('([^']+)'\)/g)].map(
    (m) => m[1] ?? m[2],
  );

for (const lib of readdirSync('libs')) {
  const rule = RULES[lib];
  if (!rule) {
    problems.push(`libs/${lib}: no rule says what it may import`);
    continue;
  }
  for (const file of sources(join('libs', lib, 'src'))) {
    for (const target of importsOf(readFileSync(file, 'utf8'))) {
      check(file, lib, rule, target, isTest(file));
      checkRoom(file, target);
    }
  }
}

function check(file, lib, rule, target, test) {
  const own = target.match(/^@orch\/([^/]+)(\/.*)?$/);
  if (own) {
    const [, name, deep] = own;
    if (SERVICES.includes(name)) problems.push(`${file}: imports a service (${target})`);
    else if (name !== lib && !rule.uses.includes(name) && !test)
      problems.push(`${file}: ${lib} may not import ${name}`);
    if (deep && !publicPaths(name).some((pattern) => pattern.test(`.${deep}`)))
      problems.push(`${file}: ${target} is not a public face`);
    return;
  }
  const builtin = target.replace(/^node:/, '');
  if (!test && !rule.io && IO.has(builtin)) problems.push(`${file}: ${lib} is pure and may not import ${target}`);
  if (/^(\.\.\/)+(libs|services|test)\//.test(target))
    problems.push(`${file}: reaches into another package (${target})`);
}

function publicPaths(name) {
  const { exports } = JSON.parse(readFileSync(join('libs', name, 'package.json'), 'utf8'));
  return Object.keys(exports).map((path) => new RegExp(`^${path.replaceAll('.', '\\.').replace('*', '.+')}$`));
}

for (const service of SERVICES) {
  if (service === 'orch') continue; // the executable: joins the services
  for (const file of sources(join('services', service, 'src'))) {
    for (const target of importsOf(readFileSync(file, 'utf8'))) {
      const own = target.match(/^@orch\/([^/]+)/);
      if (own && SERVICES.includes(own[1])) problems.push(`${file}: imports a service (${target})`);
    }
  }
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log('imports: clean');
