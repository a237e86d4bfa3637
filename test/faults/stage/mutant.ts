import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { UNBUNDLED } from '../../../tools/up/index.js';

/** A defect, or a part that a test needs, put into a compiled module while a server loads it: none of it is in the product. */
export interface Mutation {
  /** Path below the root of the repository, as built: `libs/feed/dist/heads.js`. */
  readonly module: string;
  /** Must be there once. */
  readonly part: string;
  readonly by: string;
}

const root = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/**
 * Writes an executable whose servers are those of this build but for the mutations.
 * @returns its path
 * @throws Error when a module does not hold its part any more: the server would not be changed
 */
export function mutant(dir: string, mutations: readonly Mutation[]): string {
  const sources: Record<string, string> = {};
  for (const { module, part, by } of mutations) {
    const url = pathToFileURL(root(module)).href;
    const [before, after, ...more] = (sources[url] ?? readFileSync(root(module), 'utf8')).split(part);
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error(`${module} does not hold ${JSON.stringify(part)} once any more`);
    sources[url] = `${before}${by}${after}`;
  }
  const executable = join(dir, 'mutant.mjs');
  writeFileSync(executable, programFor(sources));
  return executable;
}

/** Hooks of the thread itself: those of a thread of their own cost a start half a second of CPU more. */
const programFor = (sources: Readonly<Record<string, string>>) => `import { registerHooks } from 'node:module';
const sources = ${JSON.stringify(sources)};
registerHooks({
  load(url, context, next) {
    const source = sources[url];
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true };
  },
});
const { main } = await import(${JSON.stringify(pathToFileURL(UNBUNDLED).href)});
process.exitCode = await main(process.argv.slice(2));
`;
