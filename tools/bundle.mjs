// Makes services/orch/dist/bundle: what `orch` and `orchctl` run, in a few files, from what `tsc -b` has built. Node reads some thirteen
// hundred modules one by one otherwise, which takes most of the time until a server is ready. What a module looks for beside
// itself (migrations, a thread's own module, binaries) it finds in its package, as without the bundle.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import http from 'node:http';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const PLACE = join(ROOT, 'services', 'orch', 'dist');
const OUT = join(PLACE, 'bundle');

/** Modules of ours say their own place still. */
const places = {
  name: 'places',
  setup({ onLoad }) {
    onLoad({ filter: /\/(libs|services)\/[^/]+\/dist\/.*\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8');
      if (!contents.includes('import.meta.url')) return undefined;
      const [, folder, inside] = path.match(/^(.*\/(?:libs|services)\/[^/]+)\/dist\/(.*)$/);
      const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const url = `new URL(${JSON.stringify(inside)}, import.meta.resolve(${JSON.stringify(name)})).href`;
      return { contents: contents.replaceAll('import.meta.url', url), loader: 'js' };
    });
  },
};

/** Names that an import of node:http may use: those that Node does not compute when they are read. */
const httpNames = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { value }]) =>
  value ? [name] : [],
);

/** Node loads its own fetch and WebSocket where a module imports node:http by name: 35 ms of CPU at each start. */
const plainHttp = {
  name: 'plain-http',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'plain-http' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'plain-http' }, () => ({
      contents: `const http = process.getBuiltinModule('node:http');
        export const { ${httpNames.join(', ')} } = http;
        export default http;`,
    }));
  },
};

/** A package of CommonJS that is imported at run time has its default alone in the bundle, other than without it: a module of ours has to name what is used. */
const namedImports = {
  name: 'named-imports',
  setup({ onResolve }) {
    const isForeign = (path) => !/^(?:node:|@orch\/|\.|libsodium-wrappers$)/.test(path);
    onResolve({ filter: /./ }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' && !importer.includes('/node_modules/') && isForeign(path)
        ? { errors: [{ text: `import("${path}") at run time: import a module that names what is used of it` }] }
        : undefined,
    );
  },
};

/** What `GET /version` says of the sources. Who builds without a repository names the commit in GIT_COMMIT; SOURCE_DATE_EPOCH is the time of a build that is to be reproduced. */
function buildOf() {
  const { GIT_COMMIT, SOURCE_DATE_EPOCH } = process.env;
  const time = SOURCE_DATE_EPOCH ? Number(SOURCE_DATE_EPOCH) * 1000 : Date.now();
  const date = `${new Date(time).toISOString().slice(0, 19)}Z`;
  try {
    const git = (...args) =>
      execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const treeState = git('status', '--porcelain', '--untracked-files=no') === '' ? 'clean' : 'dirty';
    return { commit: git('rev-parse', 'HEAD').trim(), treeState, date };
  } catch {
    return { commit: GIT_COMMIT || 'unknown', treeState: 'archive', date };
  }
}

mkdirSync(PLACE, { recursive: true });
const making = mkdtempSync(join(PLACE, 'bundle-'));
await build({
  entryPoints: { orch: join(PLACE, 'index.js'), orchctl: join(ROOT, 'services', 'orchctl', 'dist', 'index.js') },
  outdir: making,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.13',
  external: ['pg-native'],
  plugins: [places, plainHttp, namedImports],
  define: { ORCH_BUILD: JSON.stringify(buildOf()) },
  // CommonJS modules ask for Node's own by require.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);",
  },
  logLevel: 'warning',
});
// Who starts a server meanwhile, or loads another part of one, finds the one or the other.
const before = `${making}-before`;
if (existsSync(OUT)) renameSync(OUT, before);
// Its maker alone could read it otherwise.
chmodSync(making, 0o755);
renameSync(making, OUT);
rmSync(before, { recursive: true, force: true });
