/**
 * Rules made at random, answered by release 1.27 and by ours: the same faults, the same most that they can cost, the same costs and
 * values. Needs Go, which builds the program in reference/.
 *
 *   npx tsx --conditions=source libs/expressions/fuzz/main.ts --rules=1000000 --seed=7
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Random } from '../../../test/faults/random.js';
import { type Answer, Judge } from './judge.js';
import { randomRule } from './rules.js';
import { randomSelf, SCHEMA } from './subject.js';

const RULES_AT_ONCE = 20_000;
const SELVES = 40;
const MOST_SHOWN = 20;

const { values } = parseArgs({ options: { rules: { type: 'string' }, seed: { type: 'string' } } });
const wanted = Number(values.rules ?? 20_000);
const firstSeed = Number(values.seed ?? 1);

function build(dir: string): string {
  const executable = join(dir, 'reference');
  const cwd = fileURLToPath(new URL('./reference', import.meta.url));
  const { status, stderr } = spawnSync('go', ['build', '-o', executable, '.'], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`go build: ${stderr}`);
  return executable;
}

function ask(executable: string, lines: readonly unknown[]): Answer[] {
  const input = lines.map((line) => JSON.stringify(line)).join('\n');
  const { status, stdout, stderr } = spawnSync(executable, { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`reference: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

/** Differences among the rules of one seed. */
function* differences(executable: string, seed: number, count: number): Iterable<string> {
  const random = new Random(seed);
  const selves = Array.from({ length: SELVES }, () => randomSelf(random));
  const asked = Array.from({ length: count }, () => ({
    rule: randomRule(random),
    self: random.between(0, SELVES - 1),
    old: random.between(0, SELVES - 1),
  }));
  const answers = ask(executable, [{ schema: SCHEMA, selves }, ...asked]);
  const judge = new Judge(SCHEMA, selves);
  for (const [i, question] of asked.entries()) {
    const differs = judge.difference(question, answers[i] as Answer);
    if (differs !== undefined) yield `seed ${seed}, ${JSON.stringify(question)}\n  ${differs}`;
    judge.count(answers[i] as Answer);
  }
  console.log(`seed ${seed}: ${judge.summary}`);
}

const dir = mkdtempSync(join(tmpdir(), 'orch-expressions-'));
let found = 0;
try {
  const executable = build(dir);
  for (let done = 0, seed = firstSeed; done < wanted; done += RULES_AT_ONCE, seed++) {
    for (const difference of differences(executable, seed, Math.min(RULES_AT_ONCE, wanted - done))) {
      if (found++ < MOST_SHOWN) console.log(difference);
    }
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}
console.log(`${wanted} rules from seed ${firstSeed} on: ${found} differences`);
process.exitCode = found === 0 ? 0 : 1;
