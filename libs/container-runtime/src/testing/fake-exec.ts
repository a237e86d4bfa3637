import type { Clock } from '@orch/runtime/clock';
import { RuntimeError } from '../runtime-error.js';
import type { ExecSyncRequest, ExecSyncResult } from '../streams.js';
import type { FakeContainer } from './fake-container.js';

/** Runs a command in a container of the double to its end. @throws RuntimeError `DeadlineExceeded` */
export function execToEnd(
  { program }: FakeContainer,
  { command, timeout }: ExecSyncRequest,
  clock: Clock,
): Promise<ExecSyncResult> {
  const { stdout = '', stderr = '', exitCode = 0, after = 0 } = program.exec?.(command) ?? {};
  const result = { stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), exitCode };
  if (after === 0) return Promise.resolve(result);
  const late = new RuntimeError('DeadlineExceeded', `failed to exec in container: timeout ${timeout / 1000}s exceeded`);
  return new Promise((resolve, reject) => {
    if (timeout > 0 && after > timeout) clock.after(timeout, () => reject(late));
    else clock.after(after, () => resolve(result));
  });
}
