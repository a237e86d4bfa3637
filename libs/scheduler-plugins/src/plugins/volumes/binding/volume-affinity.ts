import { NodeSelector } from '@orch/machinery';
import type { PersistentVolume } from '@orch/schema/types/core/v1';
import type { CSINode } from '@orch/schema/types/storage/v1';
import type { NodeInfo } from '../../../framework/node-info.js';
import { affinityTerms } from '../migration.js';
import type { VolumeNames } from '../volume-names.js';

/** Selectors by the terms that they were parsed from. */
const parsed = new WeakMap<object, NodeSelector>();

/** Returns why a volume cannot be used on a node, by the node's labels; undefined where it can. */
export function affinityProblem(
  volume: PersistentVolume,
  { labels }: Pick<NodeInfo, 'labels'>,
  csiNode: CSINode | undefined,
  names: VolumeNames,
): string | undefined {
  if (!volume.spec?.nodeAffinity && !csiNode) return undefined;
  const terms = affinityTerms(volume, csiNode, names);
  if (!terms) return undefined;
  const selector = parsed.get(terms) ?? new NodeSelector(terms);
  parsed.set(terms, selector);
  try {
    // Volumes know nothing of names of nodes.
    return selector.matches({ name: '', labels }) ? undefined : 'no matching NodeSelectorTerms';
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the only hosts that a volume can be on, by their label; undefined where its affinity says something else. */
export function hostsOf({ spec }: PersistentVolume, hostname: string): ReadonlySet<string> | undefined {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const hosts = new Set<string>();
  for (const { matchExpressions = [] } of terms) {
    const named = matchExpressions.find(({ key, operator }) => key === hostname && operator === 'In')?.values;
    if (!named) return undefined;
    for (const host of named) hosts.add(host);
  }
  return hosts.size === 0 ? undefined : hosts;
}
