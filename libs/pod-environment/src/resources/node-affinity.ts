import { NodeSelector } from '@orch/machinery';
import type { Node, Pod } from '@orch/schema/types/core/v1';

/** Whether a node has the labels that a pod requires (`nodeSelector`, required node affinity). */
export function matchesNode(pod: Pod, { metadata = {} }: Node): boolean {
  const { name = '', labels = {} } = metadata;
  for (const [key, value] of Object.entries(pod.spec?.nodeSelector ?? {})) if (labels[key] !== value) return false;
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return true;
  // A term that cannot be parsed matches nothing; others may.
  return new NodeSelector(required.nodeSelectorTerms ?? []).terms.some((term) => term.matches({ name, labels }));
}
