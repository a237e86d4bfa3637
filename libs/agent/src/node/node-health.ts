import type { Runtime, RuntimeCondition } from '@orch/container-runtime';

/** State of the parts of the agent that the node's readiness depends on. */
interface HealthInputs {
  /** Runtime of the containers. */
  readonly runtime: Pick<Runtime, 'conditions'>;
  /** Milliseconds since the runtime's containers were listed the last time. */
  readonly relistAgeMs: number;
  /** Resources of the node that could not be measured. */
  readonly missingCapacity: readonly string[];
}

/** Age of the last list from which on the agent does not see any more what runs, ms. */
const RELIST_MS = 180_000;

/** Returns what keeps the node from running pods. */
export async function healthProblems({ runtime, relistAgeMs, missingCapacity }: HealthInputs): Promise<string[]> {
  const problems: string[] = [];
  try {
    problems.push(...(await runtime.conditions()).flatMap(problemOf));
  } catch (error) {
    problems.push(`container runtime is down: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (relistAgeMs > RELIST_MS) {
    const age = relistAgeMs === Number.POSITIVE_INFINITY ? 'never' : `${Math.floor(relistAgeMs / 1000)}s ago`;
    problems.push(`PLEG is not healthy: pleg was last seen active ${age}; threshold is 3m0s`);
  }
  if (missingCapacity.length > 0) problems.push(`missing node capacity for resources: ${missingCapacity.join(', ')}`);
  return problems;
}

function problemOf({ type, status, reason, message }: RuntimeCondition): string[] {
  if (status) return [];
  const details = `${type}=false reason:${reason} message:${message}`;
  if (type === 'NetworkReady') return [`container runtime network not ready: ${details}`];
  return type === 'RuntimeReady' ? [`container runtime not ready: ${details}`] : [];
}
