import { parseArgs } from 'node:util';
import { go } from '../clients/go-informer/informer-process.js';
import { killInTurns, VICTIMS } from './adversary/adversary.js';
import { type RunResult, type RunSettings, run } from './run.js';
import { SCENARIOS } from './scenarios/index.js';
import type { Scenario } from './scenarios/scenario.js';
import { VARIANTS, type Variant } from './variants.js';

/** Negative controls, which need a stage of their own. */
const CONTROLS = SCENARIOS.filter(({ caughtBy }) => caughtBy !== undefined);
/** Kills of each victim at least: on a busy machine a defect shows late. */
const VARIANT_TURNS = 3;
/** Scale of the negative controls, which are listed as scenarios in README.md. */
const CONTROL_SCALE = 0.05;

const USAGE = `usage: make torture, or npx tsx test/faults/torture.ts [options]

  --seed=N        repeats the decisions of an earlier run (default: from the clock)
  --seconds=N     how long there is traffic and faults (default 120; 25 for each variant)
  --watchers=N    (default 200; 80 for variants)
  --writers=N     (default 4)
  --retention=D   how long changes can be read back, such as 3s (default 30m: no watch is too old)
  --variant=NAME  a system that is broken on purpose; exits with 0 if it is caught
  --variants      all of them, one after another: ${[...VARIANTS, ...CONTROLS].map(({ name }) => name).join(', ')}
`;

/** Violations printed in full. */
const SHOWN = 20;
/** Number of client-go informers; none without Go. */
const INFORMERS = go === undefined ? 0 : 2;

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seconds: { type: 'string' },
    watchers: { type: 'string' },
    writers: { type: 'string' },
    retention: { type: 'string' },
    variant: { type: 'string' },
    variants: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const print = (line: string) => process.stdout.write(`${line}\n`);

function settingsOf(defaults: { seconds: number; watchers: number }): Omit<RunSettings, 'faults'> {
  const number = (text: string | undefined, fallback: number): number => {
    const value = text === undefined ? fallback : Number(text);
    if (!Number.isInteger(value) || value < 0) throw new RangeError(`not a count: ${text}\n${USAGE}`);
    return value;
  };
  return {
    seed: number(values.seed, Date.now() % 1_000_000_000),
    seconds: number(values.seconds, defaults.seconds),
    watchers: number(values.watchers, defaults.watchers),
    writers: number(values.writers, 4),
    ...(values.retention !== undefined && { retention: values.retention }),
    log: print,
  };
}

function report({ strikes, counts, violations }: RunResult): void {
  for (const { victim, killed, restarted, ready } of strikes) {
    print(
      `  killed ${victim.padEnd(14)} away ${(restarted - killed).toFixed(0)} ms, ready ${(ready - restarted).toFixed(0)} ms later`,
    );
  }
  for (const [name, value] of Object.entries(counts)) print(`  ${name.padEnd(28)}${String(value).padStart(9)}`);
  const rules = new Map<string, number>();
  for (const { rule } of violations) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  for (const [rule, times] of rules) print(`  ${rule.padEnd(28)}${String(times).padStart(9)} violations`);
  for (const { rule, message } of violations.slice(0, SHOWN)) print(`  ${rule}: ${message.slice(0, 600)}`);
}

/** The system as it is: nothing may be found. */
async function torture(): Promise<boolean> {
  const settings = settingsOf({ seconds: 120, watchers: 200 });
  print(`seed ${settings.seed}`);
  const result = await run({ ...settings, informers: INFORMERS, faults: (stage) => killInTurns(stage, VICTIMS) });
  report(result);
  if (result.violations.length === 0) {
    print('no violations');
    return true;
  }
  const { seed, seconds, watchers, writers } = settings;
  print(`${result.violations.length} violations; again with`);
  print(
    `  npx tsx test/faults/torture.ts --seed=${seed} --seconds=${seconds} --watchers=${watchers} --writers=${writers}`,
  );
  return false;
}

/** A system broken on purpose: what was made to notice must notice. */
async function negativeControl({
  name,
  defect,
  caughtBy,
  victims,
  mutations = [],
  ...broken
}: Variant): Promise<boolean> {
  const settings = settingsOf({ seconds: 25, watchers: 80 });
  print(`variant ${name}: ${defect} (seed ${settings.seed})`);
  const result = await run({
    ...settings,
    ...broken,
    cluster: { mutations },
    faults: (stage) => killInTurns(stage, victims, [500, 3_000], VARIANT_TURNS),
  });
  report(result);
  const caught = result.violations.find(({ rule }) => caughtBy.includes(rule));
  print(caught ? `caught by ${caught.rule}` : `NOT caught by ${caughtBy.join(' or ')}`);
  return caught !== undefined;
}

/** The same of one that needs a stage of its own. */
async function ownStage({ name, fault, caughtBy, run: runOn }: Scenario): Promise<boolean> {
  const { seed } = settingsOf({ seconds: 0, watchers: 0 });
  print(`variant ${name}: ${fault} (seed ${seed})`);
  const { violations } = await runOn({ seed, scale: CONTROL_SCALE, log: print });
  const caught = violations.length === 0;
  print(`${caught ? 'caught' : 'NOT caught'} by ${caughtBy}`);
  return caught;
}

async function main(): Promise<boolean> {
  if (values.help) {
    print(USAGE);
    return true;
  }
  if (!values.variants && values.variant === undefined) return torture();
  const isChosen = ({ name }: { readonly name: string }) => values.variants || name === values.variant;
  const chosen = [
    ...VARIANTS.filter(isChosen).map((variant) => [variant.name, () => negativeControl(variant)] as const),
    ...CONTROLS.filter(isChosen).map((scenario) => [scenario.name, () => ownStage(scenario)] as const),
  ];
  if (chosen.length === 0) throw new RangeError(`no variant ${values.variant}\n${USAGE}`);
  const escaped: string[] = [];
  for (const [name, isCaught] of chosen) if (!(await isCaught())) escaped.push(name);
  print(escaped.length === 0 ? 'every variant was caught' : `not caught: ${escaped.join(', ')}`);
  return escaped.length === 0;
}

process.exitCode = (await main()) ? 0 : 1;
