// Checks that what the documents point at is there: paths in backticks that begin with a folder of the repository, relative links and their
// anchors, commands of make; and that each page of docs/ has one place in the sidebar of the site.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { GROUPS } from './site/sidebar.mjs';
import { plainHeading, slugOf } from './site/slug.mjs';

const FOLDERS = /^(?:libs|services|proto|test|tools|deploy|docs)\//;
const targets = new Set([...readFileSync('Makefile', 'utf8').matchAll(/^([a-z-]+):/gm)].map(([, name]) => name));
const pages = readdirSync('docs', { recursive: true }).filter((name) => name.endsWith('.md'));
const documents = ['README.md', 'CHANGELOG.md', ...pages.map((name) => join('docs', name)), 'test/faults/README.md'];

/** Text of a document without what stands in fences, where brackets and number signs mean something else. */
const proseOf = (file) => readFileSync(file, 'utf8').replace(/^```.*?^```$/gms, '');

const anchors = new Map();

/** Anchors of a document's headings; a heading that comes again gets a number. */
function anchorsOf(file) {
  if (anchors.has(file)) return anchors.get(file);
  const found = new Set();
  for (const [, heading] of proseOf(file).matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = slugOf(plainHeading(heading));
    let [name, again] = [slug, 0];
    while (found.has(name)) name = `${slug}-${++again}`;
    found.add(name);
  }
  anchors.set(file, found);
  return found;
}

/** What a document names that is not there. A path with a place to fill in is cut off before it. */
function* missing(file) {
  const text = readFileSync(file, 'utf8');
  for (const [, path] of text.matchAll(/`([^`\s]+)`/g)) {
    if (!FOLDERS.test(path)) continue;
    const known = path.replace(/[<*{[].*$/, '').replace(/[:#].*$/, '');
    if (!existsSync(known)) yield path;
  }
  for (const [, link, anchor] of proseOf(file).matchAll(/\]\(([^)#:\s]*)(?:#([^)]*))?\)/g)) {
    const target = link === '' ? file : normalize(join(dirname(file), link));
    if (!existsSync(target)) yield link;
    else if (anchor && target.endsWith('.md') && !anchorsOf(target).has(anchor)) yield `${link}#${anchor}`;
  }
  for (const [, target] of text.matchAll(/`make ([a-z-]+)/g)) if (!targets.has(target)) yield `make ${target}`;
}

/** Pages that stand in the sidebar not at all, twice, or without being there. */
function* misplaced() {
  const listed = GROUPS.flatMap((group) => group.pages.map((page) => `${page}.md`));
  for (const page of pages) {
    const times = listed.filter((each) => each === page).length;
    if (times !== 1 && page !== 'index.md') yield `docs/${page} stands ${times} times in tools/site/sidebar.mjs`;
  }
  for (const page of listed) if (!pages.includes(page)) yield `docs/${page} of tools/site/sidebar.mjs is not there`;
}

const problems = documents.flatMap((file) => [...missing(file)].map((path) => `${file}: ${path} is not there`));
problems.push(...misplaced());
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'docs: every path and anchor is there' : `docs: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
