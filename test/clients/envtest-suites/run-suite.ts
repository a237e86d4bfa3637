import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { goModule } from '../go-module.js';
import { findGo } from '../go-tools.js';
import { installed } from '../installed.js';
import type { Suite } from './suites.js';

/** The stand-ins of this folder, which start our server. */
export const ASSETS = fileURLToPath(new URL('./assets', import.meta.url));

/** How the tests of one package went. */
export interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Names of what failed. */
  readonly failures: readonly string[];
  readonly seconds: number;
  /** Everything that was printed. */
  readonly output: string;
}

/** A line of `go test -json`. */
export interface TestEvent {
  readonly Action: string;
  readonly Test?: string;
  readonly Output?: string;
}

/** Cases of Ginkgo, all of which are one test to Go. */
const SPECS = /(\d+) Passed \| (\d+) Failed \| (\d+) Pending \| (\d+) Skipped/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: what colours begin with
const COLOURS = /\u001b\[[\d;]*m/g;

/**
 * Runs the tests of one package of a suite, unchanged.
 * @param assets folder of the programs that envtest starts
 * @param focus only tests whose names this pattern finds
 */
export async function runPackage(suite: Suite, path: string, assets: string, focus?: string): Promise<Outcome> {
  const began = performance.now();
  const selection = focus === undefined ? [] : focusing(focus);
  const child = spawn(findGo(), ['test', '-json', '-count=1', '-vet=off', '-timeout=60m', path, ...selection], {
    cwd: sourcesOf(suite),
    env: {
      ...process.env,
      KUBEBUILDER_ASSETS: assets,
      KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '60s',
      KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT: '60s',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const events: TestEvent[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) events.push(JSON.parse(line));
  }
  return {
    name: `${suite.name} ${path}`,
    ...summary(events),
    seconds: Math.round((performance.now() - began) / 1_000),
  };
}

/** Returns the option that selects tests: Ginkgo's if the package uses it, Go's otherwise. */
const focusing = (focus: string) => (focus.startsWith('Test') ? [`-run=${focus}`] : [`-ginkgo.focus=${focus}`]);

/** Summarizes the output of `go test -json`: Ginkgo cases, and Go tests except those that contain others. */
export function summary(events: readonly TestEvent[]): Omit<Outcome, 'name' | 'seconds'> {
  const lines = events.map(({ Output = '', Test = '' }) => ({ text: Output.replace(COLOURS, ''), Test }));
  const output = lines.map(({ text }) => text).join('');
  const suites = lines.flatMap(({ text, Test }) => {
    const [, ...counts] = SPECS.exec(text) ?? [];
    return counts.length > 0 ? [{ Test, counts: counts.map(Number) }] : [];
  });
  const isSuite = (name: string) => suites.some(({ Test }) => Test === name);
  const ended = (action: string) => leaves(events, action).filter((name) => !isSuite(name));
  const specs = (at: number) => suites.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0);
  const failures = [...failedSpecs(output), ...ended('fail')];
  return {
    passed: specs(0) + ended('pass').length,
    failed: specs(1) + ended('fail').length,
    skipped: specs(2) + specs(3) + ended('skip').length,
    // Of a suite that failed as a whole no case need have.
    failures: failures.length > 0 ? failures : wholes(events),
    output,
  };
}

function failedSpecs(output: string): string[] {
  const told = output.matchAll(/^ *\[(?:FAIL|PANICKED!|TIMEDOUT)\] (.+)$/gm);
  return [...new Set([...told].map(([, name = '']) => name))];
}

/** Names of tests that ended so, and hold no others. */
function leaves(events: readonly TestEvent[], action: string): string[] {
  const names = events.flatMap(({ Action, Test }) => (Action === action && Test !== undefined ? [Test] : []));
  const all = events.flatMap(({ Test }) => Test ?? []);
  return names.filter((name) => !all.some((other) => other.startsWith(`${name}/`)));
}

/** Returns failures without a failed case: a suite's set-up or tear-down, or a package that did not reach its tests. */
function wholes(events: readonly TestEvent[]): string[] {
  return [
    ...new Set(events.filter(({ Action }) => Action === 'fail').map(({ Test = '(the package itself)' }) => Test)),
  ];
}

/** A copy of the module that tests may write to, as some do, in the user's cache. */
function sourcesOf(suite: Suite): string {
  return installed(`suite-${suite.module.split('/').at(-1)}-${suite.version}`, (making) => {
    cpSync(goModule(suite.module, suite.version), making, { recursive: true });
    for (const [to, module, from] of suite.definitions ?? []) {
      // In the version that the suite requires.
      const options = { cwd: making, encoding: 'utf8' } as const;
      const { Dir } = JSON.parse(execFileSync(findGo(), ['mod', 'download', '-json', module], options)) as {
        Dir: string;
      };
      mkdirSync(join(making, to), { recursive: true });
      cpSync(join(Dir, from), join(making, to), { recursive: true });
    }
    // Modules lie there read-only.
    execFileSync('chmod', ['-R', 'u+w', making]);
  });
}
