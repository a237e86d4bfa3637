/** Variable of the environment that limits the disks of a node. */
const VARIABLE = 'KUBE_MAX_PD_VOLS';

/** The limit that the environment sets; a value that is no limit counts for nothing, and is told of. */
interface MaxVolumes {
  /** Disks of a cloud on nodes that give no limit. */
  readonly maxVolumes?: number;
  /** Problem of the value. */
  readonly warning?: string;
}

/** Reads the limit of the disks of a cloud that nodes have which give none themselves. */
export function maxVolumesOf(environment: Readonly<Record<string, string | undefined>>): MaxVolumes {
  const text = environment[VARIABLE];
  if (text === undefined || text === '') return {};
  const maxVolumes = Number(text);
  if (/^[+-]?\d+$/.test(text) && Number.isSafeInteger(maxVolumes) && maxVolumes > 0) return { maxVolumes };
  return { warning: `${VARIABLE}: ${JSON.stringify(text)} is no number above 0, and counts for nothing` };
}
