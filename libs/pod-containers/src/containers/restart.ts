import type { Pod } from '@orch/schema/types/core/v1';
import { latestRun, type ObservedPod } from './observed-pod.js';

/** Whether a container is to be started, first or again, by the restart policy of its pod. */
export function shouldStart(name: string, pod: Pod, observed: ObservedPod): boolean {
  if (pod.metadata?.deletionTimestamp !== undefined) return false;
  const run = latestRun(observed, name);
  if (!run) return true;
  if (run.state === 'running') return false;
  // One that was made and not started, or that the runtime has lost, is made again.
  if (run.state !== 'exited') return true;
  const { restartPolicy = 'Always' } = pod.spec ?? {};
  return restartPolicy === 'Always' || (restartPolicy === 'OnFailure' && run.exitCode !== 0);
}
