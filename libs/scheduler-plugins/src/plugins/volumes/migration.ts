import type { NodeSelectorTerm, PersistentVolume, PersistentVolumeSpec, Volume } from '@orch/schema/types/core/v1';
import type { CSINode } from '@orch/schema/types/storage/v1';
import type { VolumeNames } from './volume-names.js';

/** Volume of a driver. */
export interface DriverVolume {
  /** Name of the driver. */
  readonly driver: string;
  /** Name of the volume that the driver gave it. */
  readonly handle: string;
}

/** Volumes of a volume plugin of the node agent that a CSI driver has taken over. */
interface MigratedPlugin {
  /** Name without its domain. */
  readonly name: string;
  readonly driver: string;
  /** Label of nodes that the driver names zones by. */
  readonly topologyKey: string;
  /** Returns the driver's name of a volume; undefined for those of other plugins. */
  handleOf(source: Volume | PersistentVolumeSpec, zones: readonly string[]): string | undefined;
}

const UNSPECIFIED = 'UNSPECIFIED';
const ZONES = '__';

/** Plugins whose volumes are always those of drivers, on nodes that say so. */
const MIGRATED: readonly MigratedPlugin[] = [
  {
    name: 'aws-ebs',
    driver: 'ebs.csi.aws.com',
    topologyKey: 'topology.ebs.csi.aws.com/zone',
    // `aws://ZONE/ID` or the ID alone.
    handleOf: ({ awsElasticBlockStore }) => awsElasticBlockStore?.volumeID?.replace(/^aws:\/\/.*\//, ''),
  },
  {
    name: 'gce-pd',
    driver: 'pd.csi.storage.gke.io',
    topologyKey: 'topology.gke.io/zone',
    handleOf: ({ gcePersistentDisk }, zones) => gcePersistentDisk && gceHandle(gcePersistentDisk.pdName ?? '', zones),
  },
  {
    name: 'azure-disk',
    driver: 'disk.csi.azure.com',
    topologyKey: 'topology.disk.csi.azure.com/zone',
    handleOf: ({ azureDisk }) => azureDisk?.diskURI,
  },
  {
    name: 'cinder',
    driver: 'cinder.csi.openstack.org',
    topologyKey: 'topology.cinder.csi.openstack.org/zone',
    handleOf: ({ cinder }) => cinder?.volumeID,
  },
];

function gceHandle(name: string, zones: readonly string[]): string {
  const [zone = UNSPECIFIED] = zones;
  if (zones.length < 2) return `projects/${UNSPECIFIED}/zones/${zone}/disks/${name}`;
  // A disk in several zones is one of their region: `us-central1` of `us-central1-a`.
  return `projects/${UNSPECIFIED}/regions/${zone.replace(/-[^-]*$/, '')}/disks/${name}`;
}

/** Plugins whose volumes count as those of the driver on every node that has a CSINode, whatever this says. */
const COUNTED_BY_DRIVER: ReadonlySet<string> = new Set(['aws-ebs', 'azure-disk', 'cinder']);

/** Whether a plugin's volumes on a node count as those of a driver. @param name without its domain */
export function isMigrated(name: string, csiNode: CSINode | undefined, names: VolumeNames): boolean {
  return csiNode !== undefined && (COUNTED_BY_DRIVER.has(name) || isTakenOver(name, csiNode, names));
}

/** Whether a node says that a driver has taken a plugin's volumes over. */
function isTakenOver(name: string, csiNode: CSINode, names: VolumeNames): boolean {
  const annotation = csiNode.metadata?.annotations?.[names.migratedPlugins] ?? '';
  return annotation.split(',').includes(names.inTree(name));
}

/** Returns the volume of a driver that a volume of a pod is on a node; undefined for those that are none. */
export function migratedInline(volume: Volume, csiNode: CSINode | undefined, names: VolumeNames) {
  return driverVolume(volume, [], csiNode, names);
}

/** Returns the volume of a driver that a volume is on a node; undefined for those that are none. */
export function volumeOfDriver(
  volume: PersistentVolume,
  csiNode: CSINode | undefined,
  names: VolumeNames,
): DriverVolume | undefined {
  const { csi } = volume.spec ?? {};
  if (csi) return { driver: csi.driver ?? '', handle: csi.volumeHandle ?? '' };
  return driverVolume(volume.spec ?? {}, zonesOf(volume, names), csiNode, names);
}

/**
 * Returns the driver whose volumes a provisioner makes on a node: another one where a driver has taken it over;
 * undefined where that has not happened on the node.
 */
export function driverOf(provisioner: string, csiNode: CSINode | undefined, names: VolumeNames): string | undefined {
  const plugin = MIGRATED.find(({ name }) => names.inTree(name) === provisioner);
  if (!plugin) return provisioner;
  return isMigrated(plugin.name, csiNode, names) ? plugin.driver : undefined;
}

function driverVolume(
  source: Volume | PersistentVolumeSpec,
  zones: readonly string[],
  csiNode: CSINode | undefined,
  names: VolumeNames,
): DriverVolume | undefined {
  for (const { name, driver, handleOf } of MIGRATED) {
    const handle = handleOf(source, zones);
    if (handle !== undefined && isMigrated(name, csiNode, names)) return { driver, handle };
  }
  return undefined;
}

/** Returns the zones of a volume by its labels. */
function zonesOf({ metadata }: PersistentVolume, { zone, betaZone }: VolumeNames): readonly string[] {
  const label = metadata?.labels?.[zone] ?? metadata?.labels?.[betaZone] ?? '';
  return label === '' ? [] : label.split(ZONES);
}

/**
 * Returns the terms of a volume's node affinity as a node has its labels: where a driver has taken the volume over, zones
 * are those of the driver.
 */
export function affinityTerms(
  volume: PersistentVolume,
  csiNode: CSINode | undefined,
  names: VolumeNames,
): readonly NodeSelectorTerm[] | undefined {
  const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms;
  const required = volume.spec?.nodeAffinity?.required && (terms ?? []);
  if (!csiNode || volume.spec?.csi) return required;
  const plugin = MIGRATED.find(({ handleOf }) => handleOf(volume.spec ?? {}, []) !== undefined);
  if (!plugin || !isTakenOver(plugin.name, csiNode, names)) return required;
  return driverTerms(required ?? [], zonesOf(volume, names), plugin.topologyKey, names) ?? required;
}

function driverTerms(
  terms: readonly NodeSelectorTerm[],
  zones: readonly string[],
  topologyKey: string,
  names: VolumeNames,
): readonly NodeSelectorTerm[] | undefined {
  const has = (key: string) =>
    terms.some(({ matchExpressions = [] }) => matchExpressions.some((each) => each.key === key));
  const zoneKey = [names.zone, names.betaZone].find(has);
  if (zoneKey !== undefined) {
    const isBeta = zoneKey === names.betaZone;
    return terms.map(({ matchExpressions = [], ...term }) => ({
      ...term,
      matchExpressions: matchExpressions.map(({ key = '', ...each }) => {
        if (key === zoneKey) return { ...each, key: topologyKey };
        return { ...each, key: isBeta && key === names.betaRegion ? names.region : key };
      }),
    }));
  }
  if (zones.length === 0) return undefined;
  const inZones = { key: topologyKey, operator: 'In' as const, values: [...zones] };
  const base = terms.length === 0 ? [{}] : terms;
  return base.map((term) => ({ ...term, matchExpressions: [...(term.matchExpressions ?? []), inZones] }));
}
