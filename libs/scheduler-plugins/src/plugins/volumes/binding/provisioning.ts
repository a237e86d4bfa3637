import { labelSelectorOf, parseQuantity } from '@orch/machinery';
import type { PersistentVolumeClaim, TopologySelectorTerm } from '@orch/schema/types/core/v1';
import type { CSIStorageCapacity } from '@orch/schema/types/storage/v1';
import type { ClusterObjects } from '../../../framework/cluster-view.js';
import type { NodeInfo } from '../../../framework/node-info.js';
import { claimClass, type VolumeNames } from '../volume-names.js';
import { requestedStorage } from './volume-candidates.js';

/** Whether a volume can be made for a claim on a node: not there at all, not for lack of storage, or yes. */
type Provisioning = 'unsupported' | 'full' | 'possible';

/** A claim that waits for its volume to be made, with what does not depend on the node. */
export class ClaimToProvision {
  readonly #topologies: readonly TopologySelectorTerm[];
  readonly #isSupported: boolean;
  /** Records of where there is enough storage; undefined where the driver keeps none. */
  readonly #capacities: readonly CSIStorageCapacity[] | undefined;

  /** @throws Error for a claim without a class, or of one that does not exist */
  constructor(
    /** The claim. */
    readonly claim: PersistentVolumeClaim,
    objects: ClusterObjects,
    names: VolumeNames,
  ) {
    const className = claimClass(claim, names);
    if (className === '') throw new Error(`no class for claim "${claim.metadata?.namespace}/${claim.metadata?.name}"`);
    const storageClass = objects.storageClasses.get(className);
    if (!storageClass) throw new Error(`failed to find storage class "${className}"`);
    const { provisioner = '', allowedTopologies = [] } = storageClass;
    this.#isSupported = provisioner !== '' && provisioner !== names.noProvisioner;
    this.#topologies = allowedTopologies;
    this.#capacities = sufficientCapacities(claim, className, provisioner, objects);
  }

  /** Returns whether the volume can be made on a node. */
  on({ labels }: Pick<NodeInfo, 'labels'>): Provisioning {
    if (!this.#isSupported || !matchesTopologies(this.#topologies, labels)) return 'unsupported';
    const capacities = this.#capacities;
    return !capacities || capacities.some(({ nodeTopology }) => reaches(nodeTopology, labels)) ? 'possible' : 'full';
  }
}

function sufficientCapacities(
  claim: PersistentVolumeClaim,
  className: string,
  provisioner: string,
  { csiDrivers, csiStorageCapacities }: ClusterObjects,
): readonly CSIStorageCapacity[] | undefined {
  if (claim.spec?.resources?.requests?.storage === undefined) return undefined;
  if (csiDrivers.get(provisioner)?.spec?.storageCapacity !== true) return undefined;
  const size = requestedStorage(claim);
  return [...csiStorageCapacities.list()].filter(({ storageClassName, capacity, maximumVolumeSize }) => {
    // The largest size of one volume is more precise than all that is left.
    const limit = maximumVolumeSize ?? capacity;
    return storageClassName === className && limit !== undefined && parseQuantity(limit).compare(size) >= 0;
  });
}

type LabelSet = Readonly<Record<string, string>>;

function reaches(topology: CSIStorageCapacity['nodeTopology'], labels: LabelSet): boolean {
  if (!topology) return false;
  try {
    return labelSelectorOf(topology).matches(labels);
  } catch {
    // One record that cannot be parsed says nothing of the others.
    return false;
  }
}

/** Terms are alternatives, their conditions hold together; an empty term matches nothing. */
const matchesTopologies = (terms: readonly TopologySelectorTerm[], labels: LabelSet): boolean =>
  terms.length === 0 ||
  terms.some(
    ({ matchLabelExpressions = [] }) =>
      matchLabelExpressions.length > 0 &&
      matchLabelExpressions.every(({ key = '', values = [] }) => values.includes(labels[key] ?? '\0')),
  );
