import type { Rejection } from '@orch/scheduler-plugins';

/**
 * Returns the sentence about nodes that a pod cannot be on: `0/3 nodes are available: 2 Insufficient cpu, 1 …`.
 * @param nodes number of all nodes
 */
export function notFitting(nodes: number, rejections: Iterable<Rejection>): string {
  const counts = new Map<string, number>();
  for (const [{ reasons }, count] of counted(rejections))
    for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count);
  const parts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available:${sentence(parts.join(', '))}`;
}

/** Counts equal rejections: that of most nodes is the same object. */
function counted(rejections: Iterable<Rejection>): ReadonlyMap<Rejection, number> {
  const counts = new Map<Rejection, number>();
  let [last, times]: [Rejection | undefined, number] = [undefined, 0];
  const note = () => last && counts.set(last, (counts.get(last) ?? 0) + times);
  for (const rejection of rejections) {
    if (rejection === last) times++;
    else {
      note();
      [last, times] = [rejection, 1];
    }
  }
  note();
  return counts;
}

/** Returns the sentence of {@link notFitting} for a pod that can be on no node for a reason of its own. */
export function notSchedulable(nodes: number, { reasons }: Rejection): string {
  return `0/${nodes} nodes are available:${sentence(reasons.join(', '))}`;
}

/** Adds what preemption has come to. */
export function withPreemption(message: string, reason: string): string {
  return `${message}${sentence(`preemption: ${reason}`)}`;
}

const sentence = (text: string): string => (text === '' ? '' : ` ${text}.`);
