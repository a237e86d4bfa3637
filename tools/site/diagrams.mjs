// Draws docs/diagrams/*.dot as SVG beside them, titled by the comment in the first line. Each drawing names the hash of its source, so that `--check` finds stale ones without Graphviz.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../docs/diagrams');

const sources = readdirSync(FOLDER).filter((name) => name.endsWith('.dot'));
const stale = [];
for (const name of sources) {
  const dot = readFileSync(join(FOLDER, name), 'utf8');
  const file = join(FOLDER, name.replace(/\.dot$/, '.svg'));
  const mark = `<!-- drawn from ${name}, SHA-256 ${createHash('sha256').update(dot).digest('hex')} -->`;
  if (!existsSync(file) || !readFileSync(file, 'utf8').includes(mark)) stale.push({ name, dot, file, mark });
}

if (process.argv.includes('--check')) {
  for (const { name } of stale) console.error(`docs/diagrams/${name} has changed since it was drawn: make docs`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else if (stale.length > 0) {
  const { Graphviz } = await import('@hpcc-js/wasm-graphviz');
  const graphviz = await Graphviz.load();
  for (const { dot, file, mark } of stale) {
    const [, title = ''] = /^\/\/ (.*)$/m.exec(dot) ?? [];
    const svg = graphviz.dot(dot).replace(/^[\s\S]*?(<svg[^>]*>)/, `$1\n<title>${title}</title>`);
    writeFileSync(file, `${mark}\n${svg}`);
  }
}
