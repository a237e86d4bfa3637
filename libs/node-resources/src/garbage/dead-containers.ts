import type { ListedContainer } from '@orch/container-runtime';

const UID_LABEL = 'io.kubernetes.pod.uid';

/**
 * Returns the ended containers that are to be removed, so that each container keeps its newest runs.
 * @param perContainer runs that are kept of a container; negative for all
 * @param onNode containers that are kept in all; negative for all. Each container keeps one as long as that can be
 */
export function tooMany(ended: readonly ListedContainer[], perContainer: number, onNode: number): ListedContainer[] {
  const units = [...groups(ended).values()];
  const removed = new Set<ListedContainer>();
  const keep = (count: number) => {
    for (const runs of units) for (const run of runs.slice(count)) removed.add(run);
  };
  if (perContainer >= 0) keep(perContainer);
  const left = () => ended.filter((container) => !removed.has(container));
  if (onNode < 0 || left().length <= onNode) return [...removed];
  keep(Math.max(1, Math.floor(onNode / Math.max(1, units.length))));
  const oldest = left().sort((a, b) => a.createdAt - b.createdAt);
  for (const run of oldest.slice(0, Math.max(0, oldest.length - onNode))) removed.add(run);
  return [...removed];
}

/** Groups the runs of each container, the newest first. */
function groups(ended: readonly ListedContainer[]): Map<string, ListedContainer[]> {
  const found = new Map<string, ListedContainer[]>();
  for (const container of [...ended].sort((a, b) => b.createdAt - a.createdAt)) {
    const key = `${container.labels[UID_LABEL]}/${container.metadata.name}`;
    found.set(key, [...(found.get(key) ?? []), container]);
  }
  return found;
}
