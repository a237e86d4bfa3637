import type { Cluster } from './cluster.js';
import { NAMESPACE } from './release.js';

/** Takes the pods of the chart from a node as an operator does, and lets others come there again. */
export async function drain(cluster: Cluster, node: string): Promise<void> {
  const selector = '--pod-selector=app.kubernetes.io/part-of=orch';
  await cluster.run(
    'kubectl',
    'drain',
    node,
    selector,
    '--ignore-daemonsets',
    '--delete-emptydir-data',
    '--timeout=300s',
  );
  await cluster.settle(NAMESPACE);
  await cluster.run('kubectl', 'uncordon', node);
}
