// Writes files of the repository into the pages of docs/ that show them, between `<!-- file: PATH -->` and `<!-- end of file -->`, so that what
// a page shows is what a test runs. With `--check` it writes nothing and fails where a page shows something else.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';

const PLACE = /^<!-- file: (\S+) -->\n.*?^<!-- end of file -->$/gms;
const LANGUAGES = { '.go': 'go', '.py': 'python', '.ts': 'ts', '.mjs': 'js', '.yaml': 'yaml', '.sh': 'bash' };

const pages = readdirSync('docs', { recursive: true }).filter((name) => name.endsWith('.md'));
const stale = [];
for (const page of pages.map((name) => join('docs', name))) {
  const before = readFileSync(page, 'utf8');
  const after = before.replace(PLACE, (_, path) => {
    const code = readFileSync(path, 'utf8').trimEnd();
    return `<!-- file: ${path} -->\n\`\`\`${LANGUAGES[extname(path)] ?? 'txt'}\n${code}\n\`\`\`\n<!-- end of file -->`;
  });
  if (after === before) continue;
  stale.push(page);
  if (!process.argv.includes('--check')) writeFileSync(page, after);
}
if (process.argv.includes('--check') && stale.length > 0) {
  for (const page of stale) console.error(`${page} does not show the files that it names as they are: make generate`);
  process.exitCode = 1;
}
