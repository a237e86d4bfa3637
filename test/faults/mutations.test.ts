import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LITERAL = String.raw`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\x60(?:[^\x60\\]|\\.)*\x60`;
const CONSTANT = new RegExp(String.raw`const ([A-Z_]+) =\s*(${LITERAL});`, 'g');
const MUTATION = new RegExp(String.raw`module: (${LITERAL}|[A-Z_]+),\s*part:\s*(${LITERAL}),`, 'g');

interface Found {
  readonly file: string;
  readonly module: string;
  readonly part: string;
}

/** Mutations as they are written in the sources of the scenarios: many are made only while one runs. */
function mutationsOf(file: string): Found[] {
  const text = readFileSync(`${HERE}${file}`, 'utf8');
  const constants = [...text.matchAll(CONSTANT)].map(([declaration]) => declaration).join('\n');
  const evaluate = (expression: string): string => new Function(`${constants}\nreturn ${expression};`)();
  return [...text.matchAll(MUTATION)].map(([, module = '', part = '']) => ({
    ...{ file, module: evaluate(module), part: evaluate(part) },
  }));
}

const files = readdirSync(HERE, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const mutations = files.flatMap(mutationsOf);

it('finds the mutations of the scenarios', () => {
  expect(mutations.length).toBeGreaterThan(30);
});

it.each(mutations)('$file changes $module: its part is there once', ({ module, part }) => {
  expect(readFileSync(`${ROOT}${module}`, 'utf8').split(part)).toHaveLength(2);
});
