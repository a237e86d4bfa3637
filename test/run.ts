import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileAhead } from './clients/go-build.js';
import type { FileOutcome, Outcome } from './outcome-reporter.js';
import { filesToLeaveOut } from './selection/index.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const SLOWEST = 15;

/**
 * All tests against real servers; without arguments that name some, but for those that `selection/` leaves out. Files in which one fails are run once more when all others are through, with the machine to themselves:
 * what fails only beside others is told at the end and fails nothing, what fails twice does. Both tries are printed. An error that belongs
 * to no file fails the run, whatever comes behind it.
 */
async function main(args: readonly string[]): Promise<boolean> {
  const leftOut = args.length === 0 ? filesToLeaveOut() : [];
  if (args.length === 0) compileAhead();
  const first = await vitest(args, leftOut);
  tellSlowest(first.files);
  const failed = first.files.filter(({ passed }) => !passed);
  tell('failed at first', failed);
  if (failed.length === 0) {
    tellErrors(first.errors);
    return first.files.length > 0 && first.errors.length === 0 && first.code === 0;
  }
  const second = await vitest([...failed.map(({ name }) => relative(HERE, name)), '--no-file-parallelism']);
  const isMended = ({ name }: FileOutcome) => second.files.some((again) => again.name === name && again.passed);
  tell('passed at the second time', failed.filter(isMended));
  tell(
    'failed twice',
    failed.filter((file) => !isMended(file)),
  );
  tellErrors([...first.errors, ...second.errors]);
  return failed.every(isMended) && first.errors.length + second.errors.length === 0 && second.code === 0;
}

/** @throws Error when vitest ends without an outcome. */
async function vitest(
  args: readonly string[],
  leftOut: readonly string[] = [],
): Promise<Outcome & { readonly code: number | null }> {
  const dir = mkdtempSync(join(tmpdir(), 'outcome-'));
  const file = join(dir, 'outcome.json');
  try {
    const reporters = ['--reporter=default', `--reporter=${join(HERE, 'outcome-reporter.ts')}`];
    const command = ['vitest', 'run', '--config', join(HERE, 'vitest.config.ts'), ...reporters, ...args];
    const env = { ...process.env, TEST_OUTCOME: file, TEST_COPIES_DATA: '1', TEST_LEAVE_OUT: leftOut.join(' ') };
    const child = spawn('npx', command, { stdio: 'inherit', env });
    const code = await new Promise<number | null>((resolve, reject) =>
      child.once('error', reject).once('exit', resolve),
    );
    return { code, ...(JSON.parse(readFileSync(file, 'utf8')) as Outcome) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

function tell(what: string, files: readonly FileOutcome[]): void {
  for (const { name, failures } of files) console.log([`${what}: ${relative(HERE, name)}`, ...failures].join('\n  '));
}

function tellErrors(errors: readonly string[]): void {
  for (const error of errors) console.log(`belongs to no file: ${error}`);
}

const seconds = ({ milliseconds }: FileOutcome) => Math.round(milliseconds / 1000);

function tellSlowest(files: readonly FileOutcome[]): void {
  const slowest = [...files].sort((a, b) => b.milliseconds - a.milliseconds).slice(0, SLOWEST);
  console.log(`slowest files: ${slowest.map((file) => `${relative(HERE, file.name)} ${seconds(file)} s`).join(', ')}`);
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
