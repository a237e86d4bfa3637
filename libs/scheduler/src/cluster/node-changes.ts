import { isDeepStrictEqual } from 'node:util';
import { ACTION } from '@orch/scheduler-plugins';
import type { Node } from '@orch/schema/types/core/v1';

/** Returns bits of what has changed of a node that could make pods schedulable; 0 for a heartbeat. */
export function nodeChanges(before: Node, after: Node): number {
  let changes = 0;
  const note = (bit: number, isChanged: boolean) => {
    if (isChanged) changes |= bit;
  };
  const isUncordoned = before.spec?.unschedulable === true && after.spec?.unschedulable !== true;
  note(ACTION.updateTaints, isUncordoned || !isDeepStrictEqual(before.spec?.taints, after.spec?.taints));
  note(ACTION.updateAllocatable, !isDeepStrictEqual(before.status?.allocatable, after.status?.allocatable));
  note(ACTION.updateLabels, !isDeepStrictEqual(before.metadata?.labels, after.metadata?.labels));
  note(ACTION.updateConditions, !isDeepStrictEqual(conditionsOf(before), conditionsOf(after)));
  return changes;
}

const conditionsOf = ({ status }: Node) => (status?.conditions ?? []).map(({ type, status: is }) => [type, is]);
