import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Result of the tests: all pass, one fails, or they do not end in time. */
export type Verdict = 'passed' | 'failed' | 'late';

interface Trial {
  /** Root folder of the workspace. */
  readonly root: string;
  /** Files of tests, from the root. */
  readonly tests: readonly string[];
  readonly limitMs: number;
  /**
   * A file and its mutated text; absent to test the sources unchanged. The file is not changed, only the text that
   * tests load.
   */
  readonly mutant?: { readonly file: string; readonly text: string };
  /** Ends the tests, which are late then. */
  readonly signal: AbortSignal;
}

/** Runs tests in a process of their own, until the first that fails. */
export async function run({ root, tests, limitMs, mutant, signal }: Trial): Promise<Verdict> {
  const dir = mkdtempSync(join(tmpdir(), 'mutant-'));
  try {
    const text = join(dir, 'mutant.ts');
    if (mutant) writeFileSync(text, mutant.text);
    const env = { ...process.env, ...(mutant && { MUTANT_OF: join(root, mutant.file), MUTANT: text }) };
    const args = ['vitest', 'run', '--bail=1', '--config', 'tools/mutation/vitest.config.ts', ...tests];
    return await outcomeOf(spawn('npx', args, { cwd: root, env, stdio: 'ignore', detached: true }), limitMs, signal);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/**
 * Resolves with the result of a process. Kills it, with all that it has started, when it is late or `signal` aborts.
 */
function outcomeOf(child: ReturnType<typeof spawn>, limitMs: number, signal: AbortSignal): Promise<Verdict> {
  return new Promise((resolve, reject) => {
    let isLate = false;
    const end = () => {
      isLate = true;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    };
    const timer = setTimeout(end, limitMs);
    signal.addEventListener('abort', end);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(isLate ? 'late' : code === 0 ? 'passed' : 'failed');
    });
  });
}
