import { parseArgs } from 'node:util';
import { SCENARIOS } from './scenarios/index.js';
import type { Scenario } from './scenarios/scenario.js';
import { keepSeed } from './seeds.js';

const USAGE = `usage: npx tsx test/faults/faults.ts [options]

  --scenario=NAME  the fault to try; may be repeated. One of:
${SCENARIOS.map(({ name, fault }) => `                     ${name.padEnd(24)} ${fault}`).join('\n')}
  --all            all of them, one after another
  --seed=N         repeats the decisions of an earlier run (default: from the clock)
  --times=N        how often, each time with the next seed (default 1)
  --scale=X        size and length, 1 is that of the table in README.md (default 1)
  --no-log         does not note the seed in test/faults/seeds.jsonl
`;

/** Violations printed of one run. */
const SHOWN = 10;

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', multiple: true, default: [] },
    all: { type: 'boolean', default: false },
    seed: { type: 'string' },
    times: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    'no-log': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const print = (line: string) => process.stdout.write(`${line}\n`);

/** Runs a scenario once. Returns false if it found a violation or could not be carried out. */
async function once(scenario: Scenario, seed: number, scale: number): Promise<boolean> {
  print(`${scenario.name}, seed ${seed}, scale ${scale}: ${scenario.fault}`);
  const start = performance.now();
  const { violations, measures, counts } = await scenario
    .run({ seed, scale, log: (line) => print(`  ${line}`) })
    .catch((error: Error) => ({
      violations: [{ rule: 'R.recovery' as const, message: `the run broke off: ${error.stack}` }],
      measures: {},
      counts: {},
    }));
  const seconds = Math.round((performance.now() - start) / 1000);
  for (const [name, value] of Object.entries({ ...counts, ...measures })) {
    print(`  ${name.padEnd(48)}${String(value).padStart(10)}`);
  }
  for (const { rule, message } of violations.slice(0, SHOWN)) print(`  ${rule}: ${message.slice(0, 800)}`);
  const passed = violations.length === 0;
  print(`  ${passed ? 'passed' : `FAILED: ${violations.length} violations`} after ${seconds} s`);
  const rules = [...new Set(violations.map(({ rule }) => rule))];
  if (!values['no-log']) keepSeed({ scenario: scenario.name, seed, scale, seconds, passed, rules });
  return passed;
}

function numberOf(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new RangeError(`not a number above 0: ${text}\n${USAGE}`);
  return value;
}

async function main(): Promise<boolean> {
  const chosen = SCENARIOS.filter(({ name }) => values.all || values.scenario.includes(name));
  const unknown = values.scenario.filter((name) => !SCENARIOS.some((scenario) => scenario.name === name));
  if (values.help || chosen.length === 0 || unknown.length > 0) {
    print(unknown.length > 0 ? `no scenario ${unknown.join(', ')}\n${USAGE}` : USAGE);
    return values.help;
  }
  const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : numberOf(values.seed);
  const failed: string[] = [];
  for (const scenario of chosen) {
    for (let i = 0; i < numberOf(values.times); i++) {
      if (!(await once(scenario, seed + i, numberOf(values.scale)))) failed.push(`${scenario.name} --seed=${seed + i}`);
    }
  }
  for (const run of failed)
    print(`failed; again with: npx tsx test/faults/faults.ts --scale=${values.scale} --scenario=${run}`);
  return failed.length === 0;
}

process.exitCode = (await main()) ? 0 : 1;
