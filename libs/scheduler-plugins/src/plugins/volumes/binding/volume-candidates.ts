import { labelSelectorOf, parseQuantity, type Quantity } from '@orch/machinery';
import type { PersistentVolume, PersistentVolumeClaim } from '@orch/schema/types/core/v1';
import { claimClass, type VolumeNames, volumeClass } from '../volume-names.js';
import { hostsOf } from './volume-affinity.js';

const NONE = parseQuantity('0');
const storageOf = (list: Readonly<Record<string, string>> | undefined): Quantity =>
  list?.storage === undefined ? NONE : parseQuantity(list.storage);

/** Returns the storage that a claim asks for. @throws QuantityError */
export const requestedStorage = ({ spec }: PersistentVolumeClaim): Quantity => storageOf(spec?.resources?.requests);

/** Returns the storage that a volume has. @throws QuantityError */
export const storageCapacity = ({ spec }: PersistentVolume): Quantity => storageOf(spec?.capacity);

/** Whether a volume is reserved for a claim, or bound to it. A reservation without a uid means any claim of the name. */
export function isVolumeOf({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef;
  if (!reference || reference.name !== metadata?.name || reference.namespace !== metadata?.namespace) return false;
  return !reference.uid || reference.uid === metadata?.uid;
}

/**
 * Volumes that a claim could be bound to: what does not depend on the node is decided once, so that for each node only
 * the affinity of the volumes is left.
 */
export class VolumeCandidates {
  /** Volumes that are reserved for the claim: no other is taken. */
  readonly #reserved: readonly PersistentVolume[];
  /** Other volumes, the smallest first, by the only hosts that have them; those that any host may have are under `''`. */
  readonly #free: ReadonlyMap<string, readonly RankedVolume[]>;

  /** @throws SelectorError, QuantityError */
  constructor(claim: PersistentVolumeClaim, volumes: Iterable<PersistentVolume>, names: VolumeNames) {
    const size = requestedStorage(claim);
    const fitting = [...volumes].filter((volume) => fits(volume, claim, size));
    this.#reserved = fitting.filter((volume) => isVolumeOf(volume, claim));
    const selector = claim.spec?.selector && labelSelectorOf(claim.spec.selector);
    const className = claimClass(claim, names);
    const free = fitting
      .filter((volume) => isFree(volume, claim) && volumeClass(volume, names) === className)
      .filter(({ metadata }) => selector?.matches(metadata?.labels) ?? true)
      .map((volume) => ({ volume, capacity: storageCapacity(volume) }))
      .sort((a, b) => a.capacity.compare(b.capacity));
    this.#free = byHost(
      free.map(({ volume }) => volume),
      names.hostname,
    );
  }

  /**
   * Returns the volume for the claim on a node: the one that is reserved for it, else the smallest that fits.
   * @param host label of the node
   * @param excluded names of volumes that are taken
   */
  find(
    isOnNode: (volume: PersistentVolume) => boolean,
    host: string,
    excluded: ReadonlySet<string>,
  ): PersistentVolume | undefined {
    const isTaken = ({ metadata }: PersistentVolume) => excluded.has(metadata?.name ?? '');
    const reserved = this.#reserved.find((volume) => !isTaken(volume));
    if (reserved) return isOnNode(reserved) ? reserved : undefined;
    const isUsable = ({ volume }: RankedVolume) => !isTaken(volume) && isOnNode(volume);
    const local = host === '' ? undefined : this.#free.get(host)?.find(isUsable);
    const anywhere = this.#free.get('')?.find(isUsable);
    return (local && anywhere ? (local.rank < anywhere.rank ? local : anywhere) : (local ?? anywhere))?.volume;
  }
}

/** A volume with its place among all that could be taken. */
interface RankedVolume {
  readonly volume: PersistentVolume;
  readonly rank: number;
}

/** Sorts volumes by host, so that nodes with volumes of their own do not look at those of all others. */
function byHost(volumes: readonly PersistentVolume[], hostname: string): ReadonlyMap<string, readonly RankedVolume[]> {
  const found = new Map<string, RankedVolume[]>();
  for (const [rank, volume] of volumes.entries()) {
    for (const host of hostsOf(volume, hostname) ?? ['']) {
      const volumesOfHost = found.get(host) ?? [];
      volumesOfHost.push({ volume, rank });
      found.set(host, volumesOfHost);
    }
  }
  return found;
}

function fits(volume: PersistentVolume, claim: PersistentVolumeClaim, size: Quantity): boolean {
  if (volume.spec?.claimRef && !isVolumeOf(volume, claim)) return false;
  if (volume.metadata?.deletionTimestamp !== undefined || storageCapacity(volume).compare(size) < 0) return false;
  return (volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem');
}

/** Volumes in other phases are left to the controller of volumes: changing them at once would only conflict with it. */
function isFree({ spec, status }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  if (spec?.claimRef || status?.phase !== 'Available') return false;
  return (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode));
}
