import type { Rejection } from '@orch/scheduler-plugins';

/**
 * Returns the sentence about nodes that a pod cannot be on: `0/3 nodes are available: 2 Insufficient cpu, 1 …`.
 * @param nodes number of all nodes
 */
export function notFitting(nodes: number, rejections: Iterable<Rejection>): string {
  const counts = new Map<string, number>();
  for (const { reasons } of rejections) for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const counted = [...counts].map(([reason, count]) => `${count} ${reason}`).sort();
  return `0/${nodes} nodes are available:${sentence(counted.join(', '))}`;
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
