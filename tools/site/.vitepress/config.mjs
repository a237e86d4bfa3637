import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { repositoryLinks } from '../links.mjs';
import { GROUPS } from '../sidebar.mjs';
import { slugOf } from '../slug.mjs';

const ROOT = resolve(import.meta.dirname, '../../..');
const { SITE_BASE = '/', SITE_SOURCE = '' } = process.env;

/** Entry of the sidebar: it is named as the page is. */
function item(page) {
  const [, title = page] = /^# (.*)$/m.exec(readFileSync(join(ROOT, 'docs', `${page}.md`), 'utf8')) ?? [];
  return { text: title, link: `/${page}` };
}

/** Resolves Vue from this folder: Vite looks for it from docs/ upwards, where it is not installed. */
const vueOfThisFolder = {
  name: 'vue-of-this-folder',
  enforce: 'pre',
  resolveId(source, importer, { ssr }) {
    if (!/^vue(?:$|\/)/.test(source)) return undefined;
    if (ssr) return { id: source, external: true };
    const fromPage = importer?.startsWith(`${ROOT}/docs/`);
    return fromPage ? this.resolve(source, import.meta.filename, { skipSelf: true }) : undefined;
  },
};

/** @type {import('vitepress').UserConfig} */
export default {
  title: 'orch',
  description: 'A Kubernetes-style resource API on PostgreSQL',
  lang: 'en',
  base: SITE_BASE,
  srcDir: join(ROOT, 'docs'),
  outDir: join(ROOT, 'build/site'),
  cacheDir: join(ROOT, 'build/site-cache'),
  ignoreDeadLinks: false,
  lastUpdated: false,
  markdown: {
    anchor: { slugify: slugOf },
    config: (markdown) => markdown.use(repositoryLinks(SITE_SOURCE)),
  },
  // Pages of tables are large.
  vite: { plugins: [vueOfThisFolder], build: { chunkSizeWarningLimit: 2000 } },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: GROUPS.map(({ text, pages }) => ({ text, items: pages.map(item) })),
  },
};
