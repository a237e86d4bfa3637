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

/**
 * Returns the names of the only nodes that a local volume can be on; undefined where its affinity says something else.
 * @param isNamed whether a node has the name, and is labelled so
 */
export function localNodes(
  { spec }: PersistentVolume,
  { hostname }: VolumeNames,
  isNamed: (name: string) => boolean,
): ReadonlySet<string> | undefined {
  const terms = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const nodes = new Set<string>();
  for (const { matchExpressions = [] } of terms) {
    const hosts = matchExpressions.find(({ key, operator }) => key === hostname && operator === 'In')?.values;
    // Labels may differ from names; then every node is looked at.
    if (!hosts?.every(isNamed)) return undefined;
    for (const host of hosts) nodes.add(host);
  }
  return nodes.size === 0 ? undefined : nodes;
}
