import type { Names } from '@orch/machinery';
import type { PersistentVolume, PersistentVolumeClaim } from '@orch/schema/types/core/v1';

/** Names of annotations, labels and provisioners that plugins for volumes look at, in one profile of names. */
export interface VolumeNames {
  /** Annotation of a claim that is bound completely. */
  readonly bindCompleted: string;
  /** Annotation of a volume whose claim was chosen by the system. */
  readonly boundByController: string;
  /** Annotation of a claim: the node that its volume is to be made for. */
  readonly selectedNode: string;
  /** Annotation of older claims and volumes in place of `storageClassName`. */
  readonly betaClass: string;
  /** Annotation of a CSINode: plugins whose volumes drivers have taken over. */
  readonly migratedPlugins: string;
  /** Provisioner of classes for which no volumes can be made. */
  readonly noProvisioner: string;
  /** Group of storage classes. */
  readonly storageGroup: string;
  /** Label of a node: its host name. */
  readonly hostname: string;
  /** Label of nodes and volumes: their zone. */
  readonly zone: string;
  /** Label of nodes and volumes: their region. */
  readonly region: string;
  /** Former label of zones. */
  readonly betaZone: string;
  /** Former label of regions. */
  readonly betaRegion: string;
  /** Labels of nodes that name their machine type; the first one that is there counts. */
  readonly instanceTypes: readonly string[];
  /** Returns the name of a volume plugin: `orch.io/aws-ebs`. */
  readonly inTree: (name: string) => string;
}

/** Returns the names of a profile. */
export const volumeNamesOf = ({ key, group }: Names): VolumeNames => ({
  bindCompleted: key('pv.orch.io/bind-completed'),
  boundByController: key('pv.orch.io/bound-by-controller'),
  selectedNode: key('volume.orch.io/selected-node'),
  betaClass: key('volume.beta.orch.io/storage-class'),
  migratedPlugins: key('storage.alpha.orch.io/migrated-plugins'),
  noProvisioner: key('orch.io/no-provisioner'),
  storageGroup: group('storage.orch.io'),
  hostname: key('orch.io/hostname'),
  zone: key('topology.orch.io/zone'),
  region: key('topology.orch.io/region'),
  betaZone: key('failure-domain.beta.orch.io/zone'),
  betaRegion: key('failure-domain.beta.orch.io/region'),
  instanceTypes: [key('node.orch.io/instance-type'), key('beta.orch.io/instance-type')],
  inTree: (name) => key(`orch.io/${name}`),
});

/** Returns the class that a claim asks for; empty for none. */
export const claimClass = ({ metadata, spec }: PersistentVolumeClaim, { betaClass }: VolumeNames): string =>
  metadata?.annotations?.[betaClass] ?? spec?.storageClassName ?? '';

/** Returns the class of a volume; empty for none. */
export const volumeClass = ({ metadata, spec }: PersistentVolume, { betaClass }: VolumeNames): string =>
  metadata?.annotations?.[betaClass] ?? spec?.storageClassName ?? '';

/** Whether a claim is bound to a volume, from both sides. */
export const isFullyBound = ({ metadata, spec }: PersistentVolumeClaim, { bindCompleted }: VolumeNames): boolean =>
  !!spec?.volumeName && metadata?.annotations?.[bindCompleted] !== undefined;
