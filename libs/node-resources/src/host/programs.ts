import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program to its end. Rejects if it is not there or fails. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<string>;

const LIMIT_MS = 30_000;

/** Runs programs of the machine. */
export const runProgram: RunProgram = async (program, args) => {
  const { stdout } = await promisify(execFile)(program, [...args], { timeout: LIMIT_MS });
  return stdout;
};
