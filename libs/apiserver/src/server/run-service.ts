import { runToCompletion } from '@orch/runtime';
import type { ControlPlane } from './control-plane.js';

/** Runs a process to its end; prints how to reach it once it is ready. Resolves with the exit code. */
export function runService({ lifecycle, logger, address }: ControlPlane): Promise<number> {
  return runToCompletion(lifecycle, logger, () => {
    const { url, kubeconfig } = address();
    process.stdout.write(`serving on ${url}\n`);
    if (kubeconfig !== undefined) process.stdout.write(`export KUBECONFIG=${kubeconfig}\n`);
  });
}
