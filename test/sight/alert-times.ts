import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fault, FaultSeries } from './fault-series.js';
import { prometheusProgram } from './prometheus.js';
import { type RuleGroup, rulesText } from './rule-file.js';

/** Seconds between two scrapes, and two evaluations, as the chart and `deploy/prometheus/prometheus.yml` have them. */
export const STEP_SECONDS = 15;
const MINUTE_STEPS = 60 / STEP_SECONDS;
const DEFAULT_MINUTES = [15, 30, 30] as const;

/** When an alert fires with the windows that are shipped. */
export interface AlertTime {
  /** Seconds from the first scrape that shows the fault until it fires; undefined when it does not. */
  readonly fires: number | undefined;
  /** Seconds from the first scrape without the fault until it fires no more; undefined when it goes on. */
  readonly ends: number | undefined;
}

/** Plays faults to the rules, each by itself, and says when alerts fire: promtool is asked at each step. */
export function alertTimes(groups: readonly RuleGroup[], faults: readonly Fault[]): AlertTime[] {
  const dir = mkdtempSync(join(tmpdir(), 'orch-alert-times-'));
  try {
    const files = faults.map((fault, at) => {
      const rules = join(dir, `${at}-rules.yml`);
      writeFileSync(rules, rulesText(rulesFor(groups, fault)));
      const file = join(dir, `${at}.yml`);
      writeFileSync(file, JSON.stringify(testOf(fault, rules)));
      return file;
    });
    const steps = firingSteps(files);
    return faults.map((fault) => timeOf(fault, steps));
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** The rules of an alert, and what they look at. */
const rulesFor = (groups: readonly RuleGroup[], { alert, severity }: Fault): RuleGroup[] =>
  groups
    .map((group) => ({
      ...group,
      rules: group.rules.filter(
        (rule) =>
          rule.record !== undefined ||
          (rule.alert === alert && (severity === undefined || rule.labels?.severity === severity)),
      ),
    }))
    .filter(({ rules }) => rules.some((rule) => rule.alert !== undefined));

const stepsOf = ({ minutes = DEFAULT_MINUTES }: Fault): [before: number, during: number, after: number] => {
  const [before, during, after] = minutes;
  return [before * MINUTE_STEPS, during * MINUTE_STEPS, after * MINUTE_STEPS];
};

const testOf = (fault: Fault, rules: string): object => ({
  rule_files: [rules],
  evaluation_interval: `${STEP_SECONDS}s`,
  tests: [
    {
      interval: `${STEP_SECONDS}s`,
      input_series: fault.series.map((each) => ({ series: each.series, values: valuesOf(each, stepsOf(fault)) })),
      alert_rule_test: Array.from({ length: sum(stepsOf(fault)) }, (_, at) => ({
        eval_time: `${at * STEP_SECONDS}s`,
        alertname: fault.alert,
        exp_alerts: [],
      })),
    },
  ],
});

const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);

/** In the notation of promtool: `start+growth×further`. */
const run = (start: number, growth: number, steps: number): string => `${start}+${growth}x${steps - 1}`;

function valuesOf({ kind, calm, faulty }: FaultSeries, [before, during, after]: readonly [number, number, number]) {
  if (faulty === undefined) return `${run(calm, 0, before)} stale _x${during - 1} ${run(calm, 0, after)}`;
  if (kind === 'age') return `${run(0, 0, before)} ${run(0, STEP_SECONDS, during)} ${run(0, 0, after)}`;
  if (kind === 'once') return `${run(0, 0, before)} ${run(faulty, 0, during + after)}`;
  if (kind === 'gauge') return `${run(calm, 0, before)} ${run(faulty, 0, during)} ${run(calm, 0, after)}`;
  const [slow, quick] = [calm / MINUTE_STEPS, faulty / MINUTE_STEPS];
  const [begin, end] = [slow * before, slow * before + quick * during];
  return `${run(0, slow, before)} ${run(begin, quick, during)} ${run(end, slow, after)}`;
}

/** Steps at which alerts fire, by alert and severity: where promtool says that what is not expected was there. */
function firingSteps(files: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const promtool = prometheusProgram('promtool');
  const { stdout, stderr } = spawnSync(promtool, ['test', 'rules', ...files], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const steps = new Map<string, number[]>();
  for (const [, alert, time = '', severity] of `${stdout}${stderr}`.matchAll(FIRING)) {
    const key = `${alert} ${severity}`;
    steps.set(key, [...(steps.get(key) ?? []), secondsOf(time) / STEP_SECONDS]);
  }
  if (steps.size === 0) throw new Error(`promtool says of no alert that it fires: ${stdout}${stderr}`);
  return steps;
}

const FIRING = /alertname: (\w+), time: (\S+),[\s\S]*?severity="(\w+)"/g;

const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };

const secondsOf = (time: string): number =>
  sum([...time.matchAll(/(\d+)([dhms])/g)].map(([, count, unit = '']) => Number(count) * (UNITS[unit] ?? 0)));

function timeOf(fault: Fault, steps: ReadonlyMap<string, readonly number[]>): AlertTime {
  const [before, during, after] = stepsOf(fault);
  const of = (severity: string) => steps.get(`${fault.alert} ${severity}`) ?? [];
  const firing = fault.severity ? of(fault.severity) : [...of('critical'), ...of('warning')];
  const [first, last] = [firing[0], firing.at(-1)];
  if (first === undefined || last === undefined) return { fires: undefined, ends: undefined };
  if (first < before) throw new Error(`${fault.alert} fires before its fault`);
  const over = before + during;
  return {
    fires: (first - before) * STEP_SECONDS,
    ends: last === over + after - 1 ? undefined : Math.max(0, last + 1 - over) * STEP_SECONDS,
  };
}

/** `2 min 15 s`. */
export function timeText(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ].filter(([count]) => count !== 0);
  return parts.length === 0 ? 'at once' : parts.map(([count, unit]) => `${count} ${unit}`).join(' ');
}
