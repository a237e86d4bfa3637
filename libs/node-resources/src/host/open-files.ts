import type { Logger } from '@orch/runtime';
import { type RunProgram, runProgram } from './programs.js';

/** Sets the number of files that this process may have open (`--max-open-files`). Where it may not: a warning. */
export async function limitOpenFiles(count: number, logger: Logger, run: RunProgram = runProgram): Promise<void> {
  try {
    await run('prlimit', [`--pid=${process.pid}`, `--nofile=${count}:${count}`]);
  } catch (error) {
    logger.warn('the number of files that the agent may have open cannot be set', { count, err: String(error) });
  }
}
