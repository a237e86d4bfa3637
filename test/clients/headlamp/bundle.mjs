// Makes one file of the pages of Headlamp. Its front end is published as a library for plug-ins, its server is not.
// Usage: node bundle.mjs, in a folder with pages.jsx whose node_modules holds the library and esbuild.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const { build } = createRequire(`${process.cwd()}/`)('esbuild');

const ENVIRONMENT = { DEV: false, PROD: true, UNDER_TEST: '', REACT_APP_HEADLAMP_BACKEND_TOKEN: '' };

/** What the tool that Headlamp is built with does beside JavaScript: pictures and workers are left out. */
const leaveOut = {
  name: 'leave-out',
  setup(plugins) {
    const out = ({ path }) => ({ path, namespace: 'left-out' });
    plugins.onResolve({ filter: /\?(react|url|worker)$/ }, out);
    plugins.onResolve({ filter: /^path$/ }, out);
    plugins.onLoad({ filter: /./, namespace: 'left-out' }, () => ({ contents: 'export default () => null;' }));
    plugins.onLoad({ filter: /i18n\/config\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace('?import=default', ''),
    }));
  },
};

await build({
  ...{ entryPoints: ['pages.jsx'], outfile: 'pages/app.js', bundle: true, format: 'esm', jsx: 'automatic' },
  ...{ plugins: [leaveOut], keepNames: true, logLevel: 'error' },
  // Libraries that are made for Node too ask for it.
  banner: { js: 'globalThis.process = { env: {} };' },
  define: {
    'import.meta.env': JSON.stringify(ENVIRONMENT),
    'process.env.NODE_ENV': '"production"',
    global: 'window',
  },
  loader: { '.svg': 'dataurl', '.png': 'dataurl', '.woff': 'empty', '.woff2': 'empty', '.ttf': 'empty' },
});
