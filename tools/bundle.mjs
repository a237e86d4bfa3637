// Makes services/orch/dist/bundle: what `orch` and `orchctl` run, in a few files, from what `tsc -b` has built. Node reads some thirteen
// hundred modules one by one otherwise, which takes most of the time until a server is ready. What a module looks for beside
// itself (migrations, a thread's own module, binaries) it finds in its package, as without the bundle.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
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

mkdirSync(PLACE, { recursive: true });
const making = mkdtempSync(join(PLACE, 'bundle-'));
await build({
  entryPoints: { orch: join(PLACE, 'index.js'), orchctl: join(ROOT, 'services', 'orchctl', 'dist', 'index.js') },
  outdir: making,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: ['pg-native'],
  plugins: [places],
  // CommonJS modules ask for Node's own by require.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);",
  },
  logLevel: 'warning',
});
// Who starts a server meanwhile, or loads another part of one, finds the one or the other.
const before = `${making}-before`;
if (existsSync(OUT)) renameSync(OUT, before);
renameSync(making, OUT);
rmSync(before, { recursive: true, force: true });
