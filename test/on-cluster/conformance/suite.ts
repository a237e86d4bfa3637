import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { tail } from '../../../tools/up/index.js';
import type { SuitePrograms } from './build-suite.js';
import { expressionForAll, oneLine, resultsIn } from './reports.js';
import type { CaseResult } from './results.js';

/** Longer than what a run takes to write its report once its time is over. */
const REPORT_MS = 120_000;
const PROGRESS_MS = 60_000;

/** Settings of {@link Suite}. */
interface SuiteSettings {
  readonly programs: SuitePrograms;
  readonly kubectl: string;
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Folder of logs and reports. */
  readonly dir: string;
}

/** How cases are run. */
interface RunSettings {
  /** Names the run in its folder and in what is printed. */
  readonly label: string;
  /** Cases that run at once. */
  readonly atOnce: number;
  readonly limitMs: number;
}

/** The official suite, pointed at a cluster. */
export class Suite {
  constructor(private readonly settings: SuiteSettings) {}

  /** Names of all cases, sorted; nothing is run. */
  async allNames(): Promise<readonly string[]> {
    const { programs, dir } = this.settings;
    const report = join(dir, 'names.json');
    const options = ['--ginkgo.dry-run', `--ginkgo.json-report=${report}`, '--provider=skeleton'];
    await promisify(execFile)(programs.tests, options, { cwd: dir, maxBuffer: 64 << 20 });
    return resultsIn(JSON.parse(readFileSync(report, 'utf8')))
      .map(({ name }) => name)
      .sort();
  }

  /** Names of the cases of conformance, sorted. */
  async names(): Promise<readonly string[]> {
    const { programs, dir } = this.settings;
    const options = { cwd: dir, maxBuffer: 64 << 20 };
    const { stdout } = await promisify(execFile)(programs.tests, ['-list-conformance-tests'], options);
    const listed = parse(stdout.slice(stdout.indexOf('- testname:'))) as { codename: string }[];
    return listed.map(({ codename }) => oneLine(codename)).sort();
  }

  /** Runs cases to their end; resolves with what became of those that were reached. */
  async run(names: readonly string[], { label, atOnce, limitMs }: RunSettings): Promise<readonly CaseResult[]> {
    const { programs, dir } = this.settings;
    const out = join(dir, 'suite', label);
    mkdirSync(out, { recursive: true });
    const args = [
      ...[`--procs=${atOnce}`, `--focus=${expressionForAll(names)}`],
      ...[`--timeout=${Math.round(limitMs / 1000)}s`, '--json-report=report.json', `--output-dir=${out}`],
      ...['--no-color', '--keep-going', '--poll-progress-after=0', programs.tests, '--', ...this.#options(out)],
    ];
    const child = spawn('nice', ['-n', '5', programs.ginkgo, ...args], {
      ...{ cwd: out, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
      env: { ...process.env, KUBECONFIG: '', KUBECACHEDIR: join(dir, 'kubectl-cache') },
    });
    const log = join(out, 'log');
    await follow(child, log, `${label}, of ${names.length}`, limitMs + REPORT_MS);
    const report = join(out, 'report.json');
    // It is an empty list where one of several processes ended without a word.
    const suites = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : [];
    if (suites.length === 0) return unreported(names, `the suite made no report of ${label}:\n${tail(log)}`);
    return resultsIn(suites);
  }

  #options(out: string): string[] {
    const { kubeconfig, kubectl } = this.settings;
    return [
      ...[`--kubeconfig=${kubeconfig}`, '--provider=skeleton', `--kubectl-path=${kubectl}`, `--report-dir=${out}`],
      ...['--disable-log-dump=true', '--dump-logs-on-failure=false', `--e2e-output-dir=${out}`],
      ...['--node-schedulable-timeout=3m', '--system-pods-startup-timeout=1m', '--allowed-not-ready-nodes=0'],
    ];
  }
}

/** Writes what the runner says into a file, and prints how many cases are done; resolves when it has ended. */
function follow(child: ChildProcess, file: string, what: string, limitMs: number): Promise<void> {
  const log = createWriteStream(file);
  let done = 0;
  const count = (chunk: Buffer) => {
    log.write(chunk);
    done += chunk.toString().match(/[•]/g)?.length ?? 0;
  };
  for (const output of [child.stdout, child.stderr]) output?.on('data', count);
  const progress = setInterval(() => console.log(`  … ${done} done: ${what}`), PROGRESS_MS);
  const limit = setTimeout(() => child.pid && process.kill(-child.pid, 'SIGKILL'), limitMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      clearInterval(progress);
      clearTimeout(limit);
      log.end(resolve);
    });
  });
}

/** Cases of which nothing is known, as when the runner was killed: the others of the run keep their results. */
function unreported(names: readonly string[], why: string): CaseResult[] {
  console.log(`  ${why}`);
  return names.map((name) => ({ name, outcome: 'failed', reason: 'the suite made no report' }));
}
