// Checks that the files which the documents speak of are there: paths in backticks that begin with a folder of the
// repository, relative links, and commands of make.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDERS = /^(?:libs|services|proto|test|tools|deploy|docs)\//;
const targets = new Set([...readFileSync('Makefile', 'utf8').matchAll(/^([a-z-]+):/gm)].map(([, name]) => name));
const pages = readdirSync('docs', { recursive: true }).filter((name) => name.endsWith('.md'));
const documents = ['README.md', ...pages.map((name) => join('docs', name)), 'test/faults/README.md'];

/** What a document names that is not there. A path with a place to fill in is cut off before it. */
function* missing(file) {
  const text = readFileSync(file, 'utf8');
  for (const [, path] of text.matchAll(/`([^`\s]+)`/g)) {
    if (!FOLDERS.test(path)) continue;
    const known = path.replace(/[<*{[].*$/, '').replace(/[:#].*$/, '');
    if (!existsSync(known)) yield path;
  }
  for (const [, link] of text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)) {
    if (!existsSync(join(dirname(file), link))) yield link;
  }
  for (const [, target] of text.matchAll(/`make ([a-z-]+)/g)) if (!targets.has(target)) yield `make ${target}`;
}

const problems = documents.flatMap((file) => [...missing(file)].map((path) => `${file}: ${path} is not there`));
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'docs: every path is there' : `docs: ${problems.length} paths are not there`);
process.exitCode = problems.length === 0 ? 0 : 1;
