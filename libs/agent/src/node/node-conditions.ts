import type { EventSink } from '@orch/pod-environment';
import type { NodeCondition } from '@orch/schema/types/core/v1';

/** State that the conditions of the node follow from. */
export interface NodeHealth {
  /** Problems that keep the node from running pods; empty if there are none. */
  readonly problems: readonly string[];
  /** Whether memory is short. */
  readonly memoryPressure: boolean;
  /** Whether disk space is short. */
  readonly diskPressure: boolean;
  /** Whether process ids are short. */
  readonly pidPressure: boolean;
}

/** A condition, its reason and message where it does not hold and where it does, and the events of both. */
interface Pressure {
  readonly type: string;
  readonly absent: readonly [reason: string, message: string, event: string];
  readonly present: readonly [reason: string, message: string, event: string];
  readonly of: (health: NodeHealth) => boolean;
}

const PRESSURES: readonly Pressure[] = [
  {
    type: 'MemoryPressure',
    absent: ['KubeletHasSufficientMemory', 'kubelet has sufficient memory available', 'NodeHasSufficientMemory'],
    present: ['KubeletHasInsufficientMemory', 'kubelet has insufficient memory available', 'NodeHasInsufficientMemory'],
    of: ({ memoryPressure }) => memoryPressure,
  },
  {
    type: 'DiskPressure',
    absent: ['KubeletHasNoDiskPressure', 'kubelet has no disk pressure', 'NodeHasNoDiskPressure'],
    present: ['KubeletHasDiskPressure', 'kubelet has disk pressure', 'NodeHasDiskPressure'],
    of: ({ diskPressure }) => diskPressure,
  },
  {
    type: 'PIDPressure',
    absent: ['KubeletHasSufficientPID', 'kubelet has sufficient PID available', 'NodeHasSufficientPID'],
    present: ['KubeletHasInsufficientPID', 'kubelet has insufficient PID available', 'NodeHasInsufficientPID'],
    of: ({ pidPressure }) => pidPressure,
  },
];

/**
 * Returns the conditions of the node; those of others stay. Changes are reported.
 * @param previous conditions as the API has them
 * @param now time, RFC 3339
 * @param name name of the node, for events
 */
export function nodeConditions(
  previous: readonly NodeCondition[],
  health: NodeHealth,
  now: string,
  { name, events }: { readonly name: string; readonly events: EventSink },
): NodeCondition[] {
  const report = (event: string) => events.ofNode('Normal', event, `Node ${name} status is now: ${event}`);
  const pressures = PRESSURES.map(({ type, absent, present, of }) => {
    const holds = of(health);
    const [reason, message, event] = holds ? present : absent;
    return condition(previous, { type, status: holds ? 'True' : 'False', reason, message }, now, () => report(event));
  });
  const { problems } = health;
  const text = problems.length > 1 ? `[${problems.join(', ')}]` : (problems[0] ?? '');
  const ready: NodeCondition =
    problems.length === 0
      ? { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' }
      : { type: 'Ready', status: 'False', reason: 'KubeletNotReady', message: text };
  const all = [
    ...pressures,
    condition(previous, ready, now, () => report(problems.length === 0 ? 'NodeReady' : 'NodeNotReady')),
  ];
  const own = new Set(all.map(({ type }) => type));
  return [...previous.filter(({ type }) => !own.has(type)), ...all];
}

function condition(
  previous: readonly NodeCondition[],
  own: NodeCondition,
  now: string,
  report: () => void,
): NodeCondition {
  const before = previous.find(({ type }) => type === own.type);
  const isSame = before?.status === own.status;
  if (!isSame) report();
  return { ...own, lastHeartbeatTime: now, lastTransitionTime: isSame ? (before?.lastTransitionTime ?? now) : now };
}
