import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Outcome {
  /** Not 0 as well where an error belongs to no file. */
  readonly code: number | null;
  readonly files: readonly FileResult[];
}

/** What vitest's JSON reporter says of a file, as far as it is read here. Times are ms since the epoch. */
interface FileResult {
  readonly name: string;
  readonly status: 'passed' | 'failed';
  readonly message: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[] | null;
  }[];
}

const HERE = fileURLToPath(new URL('.', import.meta.url));
const SLOWEST = 15;

/**
 * All tests against real servers. Files in which one fails are run once more when all others are through, with the machine to themselves:
 * what fails only beside others is told at the end and fails nothing, what fails twice does. Both tries are printed.
 */
async function main(args: readonly string[]): Promise<void> {
  const first = await vitest(args);
  tellSlowest(first.files);
  const failed = first.files.filter(hasFailed);
  tell('failed at first', failed);
  process.exitCode = first.code ?? 1;
  if (failed.length === 0) return;
  const second = await vitest([...failed.map(({ name }) => relative(HERE, name)), '--no-file-parallelism']);
  const twice = second.files.filter(hasFailed);
  tell(
    'passed at the second time',
    failed.filter(({ name }) => !twice.some((other) => other.name === name)),
  );
  tell('failed twice', twice);
  process.exitCode = second.code ?? 1;
}

/** @throws Error when vitest ends without a report. */
async function vitest(args: readonly string[]): Promise<Outcome> {
  const dir = mkdtempSync(join(tmpdir(), 'report-'));
  const file = join(dir, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
    const child = spawn('npx', ['vitest', 'run', '--config', join(HERE, 'vitest.config.ts'), ...reporters, ...args], {
      stdio: 'inherit',
    });
    const code = await new Promise<number | null>((resolve, reject) =>
      child.once('error', reject).once('exit', resolve),
    );
    return { code, files: JSON.parse(readFileSync(file, 'utf8')).testResults };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const hasFailed = ({ status }: FileResult) => status !== 'passed';

function tell(what: string, files: readonly FileResult[]): void {
  for (const { name, message, assertionResults } of files) {
    console.log(`${what}: ${relative(HERE, name)} ${message.slice(0, 1000)}`);
    for (const { fullName, failureMessages } of assertionResults.filter(({ status }) => status === 'failed'))
      console.log(`  ${fullName}\n    ${failureMessages?.join('\n').slice(0, 1000) ?? ''}`);
  }
}

const seconds = ({ startTime, endTime }: FileResult) => Math.round((endTime - startTime) / 1000);

function tellSlowest(files: readonly FileResult[]): void {
  const slowest = [...files].sort((a, b) => seconds(b) - seconds(a)).slice(0, SLOWEST);
  console.log(`slowest files: ${slowest.map((file) => `${relative(HERE, file.name)} ${seconds(file)} s`).join(', ')}`);
}

await main(process.argv.slice(2));
