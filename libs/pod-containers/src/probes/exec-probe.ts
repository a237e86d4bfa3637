import type { Runtime } from '@orch/container-runtime';
import { RuntimeError } from '@orch/container-runtime';
import type { ProbeLimits, ProbeOutcome } from './probe-outcome.js';

/** Limit of output that is kept, bytes. */
const MAX_OUTPUT = 10 * 1024;

/**
 * Runs a command in a container.
 * @throws RuntimeError where it could not be run
 */
export async function probeExec(
  runtime: Pick<Runtime, 'execSync'>,
  containerId: string,
  command: readonly string[],
  { timeoutMs }: ProbeLimits,
): Promise<ProbeOutcome> {
  try {
    const { stdout, stderr, exitCode } = await runtime.execSync({ containerId, command, timeout: timeoutMs });
    const output = Buffer.concat([stdout, stderr]).subarray(0, MAX_OUTPUT).toString();
    return { result: exitCode === 0 ? 'success' : 'failure', output };
  } catch (error) {
    if (!(error instanceof RuntimeError) || error.code !== 'DeadlineExceeded') throw error;
    return {
      result: 'failure',
      output: `command timed out: ${JSON.stringify(command.join(' '))} timed out after ${timeoutMs / 1000}s`,
    };
  }
}
