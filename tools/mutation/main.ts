import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { changedLines, isSource } from './changed-lines.js';
import { type Mutant, mutantsOf, mutated, spread } from './mutants.js';
import { ImportGraph, packageOf } from './related-tests.js';
import { run, type Verdict } from './trial.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
const USAGE = `usage: npx tsx tools/mutation/main.ts [options] [file...]

Makes one fault after another in what was changed, and runs the unit tests that lie nearest: a fault that none of them notices lives, and is
printed. No file is changed. With files, from the root of the repository, all of their lines are tried.

  --base=COMMIT   what has changed since this branch and it parted is tried (default origin/main)
  --most=N        faults that are tried, spread over all that there are (default 100)
  --tests=N       files of tests that are run for each, those that import the file by the fewest others (default 12)
  --minutes=N     after which no further one is tried (default 30)
  --list          prints them, and runs nothing
`;
/** Beside three times what the tests take without a fault. */
const LEAST_MS = 10_000;
const FIRST_MS = 300_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    base: { type: 'string', default: 'origin/main' },
    most: { type: 'string', default: '100' },
    tests: { type: 'string', default: '12' },
    minutes: { type: 'string', default: '30' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** A fault in a file of the sources. */
interface Fault {
  readonly file: string;
  readonly mutant: Mutant;
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 80);
const shown = ({ file, mutant: { line, original, text } }: Fault): string =>
  `${file}:${line}: ${oneLine(original)}  →  ${oneLine(text)}`;

function faults(): Fault[] {
  const unknown = positionals.filter((file) => !isSource(file));
  if (unknown.length > 0) throw new Error(`no sources of a library or a service: ${unknown.join(', ')}`);
  const lines: Iterable<readonly [string, Set<number> | undefined]> =
    positionals.length > 0 ? positionals.map((file) => [file, undefined] as const) : changedLines(ROOT, values.base);
  return [...lines].flatMap(([file, changed]) => mutantsOf(textOf(file), changed).map((mutant) => ({ file, mutant })));
}

/** Tests of a file that are run together, and how long they may take. */
interface MutantTests {
  readonly tests: readonly string[];
  readonly limitMs: number;
}

class Trials {
  readonly #abort = new AbortController();
  readonly #graph = new ImportGraph(ROOT);
  readonly #judges = new Map<string, Promise<MutantTests[] | undefined>>();

  stop(): void {
    this.#abort.abort();
  }

  get stopped(): boolean {
    return this.#abort.signal.aborted;
  }

  async verdict({ file, mutant }: Fault): Promise<Verdict | 'unjudged'> {
    const known = this.#judges.get(file) ?? this.#judgesOf(file);
    this.#judges.set(file, known);
    const judges = await known;
    if (!judges) return 'unjudged';
    const text = mutated(textOf(file), mutant);
    for (const each of judges) {
      const verdict = await run({ root: ROOT, ...each, mutant: { file, text }, signal: this.#abort.signal });
      if (verdict !== 'passed') return verdict;
    }
    return 'passed';
  }

  /**
   * The nearest, which most faults do not get past, before others, of its package at first; undefined where there are
   * none, or some fail without a fault.
   */
  async #judgesOf(file: string): Promise<MutantTests[] | undefined> {
    const all = this.#graph.testsOf(file);
    const [nearest, ...others] = all.slice(0, Number(values.tests));
    const isOwn = (path: string) => packageOf(path) === packageOf(file);
    const groups = [nearest ? [nearest] : [], others.filter(isOwn), others.filter((path) => !isOwn(path))];
    const judges: MutantTests[] = [];
    for (const tests of groups) {
      if (tests.length === 0) continue;
      const begun = performance.now();
      const verdict = await run({ root: ROOT, tests, limitMs: FIRST_MS, signal: this.#abort.signal });
      const took = performance.now() - begun;
      console.log(`${file}: ${tests.length} of ${all.length} files of tests, ${Math.round(took)} ms, ${verdict}`);
      if (verdict !== 'passed') return undefined;
      judges.push({ tests, limitMs: LEAST_MS + 3 * took });
    }
    return judges.length > 0 ? judges : undefined;
  }
}

async function main(): Promise<void> {
  const all = faults();
  const tried = spread(all, Number(values.most));
  console.log(`${tried.length} of ${all.length} faults in ${new Set(all.map(({ file }) => file)).size} files`);
  if (values.list) {
    for (const fault of tried) console.log(shown(fault));
    return;
  }
  const trials = new Trials();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => trials.stop());
  const until = performance.now() + Number(values.minutes) * 60_000;
  const counts = { passed: 0, failed: 0, late: 0, unjudged: 0 };
  for (const fault of tried) {
    const verdict = await trials.verdict(fault);
    if (trials.stopped || performance.now() > until) break;
    counts[verdict]++;
    if (verdict === 'passed') console.log(`lives: ${shown(fault)}`);
    if (verdict === 'unjudged') console.log(`not judged: ${shown(fault)}`);
  }
  const judged = counts.failed + counts.late + counts.passed;
  console.log(
    `${judged} tried: ${counts.failed} noticed, ${counts.late} never came to an end, ${counts.passed} live; ` +
      `${counts.unjudged} without tests that pass, ${tried.length - judged - counts.unjudged} not reached`,
  );
}

if (values.help) console.log(USAGE);
else await main();
