import type { Names } from '@orch/machinery';
import type { ExtensionPoint, PluginRegistry } from '../framework/extension-points.js';
import type { FilterPlugin, Plugin, PreEnqueuePlugin, QueueSortPlugin, ScorePlugin } from '../framework/plugin.js';
import type { PluginArgs } from '../framework/plugin-args.js';
import { interPodAffinity } from './affinity/inter-pod-affinity.js';
import { imageLocality } from './image-locality.js';
import { nodeAffinity } from './node-affinity.js';
import { nodeName } from './node-name.js';
import { nodePorts } from './node-ports.js';
import { nodeUnschedulable } from './node-unschedulable.js';
import { prioritySort } from './priority-sort.js';
import { balancedAllocation } from './resources/balanced-allocation.js';
import { fit } from './resources/fit.js';
import { schedulingGates } from './scheduling-gates.js';
import { podTopologySpread } from './spread/pod-topology-spread.js';
import { taintToleration } from './taint-toleration.js';
import { attachLimit } from './volumes/attach-limits.js';
import { volumeBinding } from './volumes/binding/volume-binding.js';
import type { VolumeContext } from './volumes/binding/volume-context.js';
import { csiLimits } from './volumes/csi-limits.js';
import { volumeRestrictions } from './volumes/volume-restrictions.js';
import { volumeZone } from './volumes/volume-zone.js';

/** A plugin with any of the parts that plugins can have. */
export type AnyPlugin = Plugin & Partial<PreEnqueuePlugin & QueueSortPlugin & FilterPlugin & ScorePlugin>;

/** Dependencies of plugins. */
export interface PluginHost {
  /** Names of the installation. */
  readonly names: Names;
  /** The same one for all profiles. */
  readonly volumes: VolumeContext;
  /** Disks of a cloud on nodes that give no limit. Default: by the kind of disk and the machine type. */
  readonly maxVolumes?: number;
}

interface PluginEntry {
  readonly points: readonly ExtensionPoint[];
  /** Absent for what the scheduler itself does: it only says whether that is on. */
  readonly make?: (args: PluginArgs, host: PluginHost) => AnyPlugin;
}

const FILTER: readonly ExtensionPoint[] = ['preFilter', 'filter'];
const SCORE: readonly ExtensionPoint[] = ['preScore', 'score'];

const diskLimits = (name: string): PluginEntry => ({
  points: FILTER,
  make: (_, { volumes: { names }, maxVolumes }) =>
    attachLimit(name, { names, ...(maxVolumes !== undefined && { maxVolumes }) }),
});

/** All plugins. A new one is a file of its own and a line here. */
const TABLE: Readonly<Record<string, PluginEntry>> = {
  PrioritySort: { points: ['queueSort'], make: () => prioritySort },
  SchedulingGates: { points: ['preEnqueue'], make: () => schedulingGates },
  NodeUnschedulable: { points: ['filter'], make: (_, { names }) => nodeUnschedulable(names) },
  NodeName: { points: ['filter'], make: () => nodeName },
  TaintToleration: { points: ['filter', ...SCORE], make: () => taintToleration },
  NodeAffinity: { points: [...FILTER, ...SCORE], make: (args) => nodeAffinity(args.NodeAffinity) },
  NodePorts: { points: FILTER, make: () => nodePorts },
  NodeResourcesFit: { points: [...FILTER, ...SCORE], make: (args) => fit(args.NodeResourcesFit) },
  VolumeRestrictions: { points: FILTER, make: () => volumeRestrictions },
  EBSLimits: diskLimits('EBSLimits'),
  GCEPDLimits: diskLimits('GCEPDLimits'),
  AzureDiskLimits: diskLimits('AzureDiskLimits'),
  CinderLimits: diskLimits('CinderLimits'),
  NodeVolumeLimits: { points: FILTER, make: (_, { volumes }) => csiLimits(volumes.names) },
  VolumeBinding: {
    points: [...FILTER, 'reserve', 'preBind', 'score'],
    make: (args, { volumes }) => volumeBinding(volumes, args.VolumeBinding),
  },
  VolumeZone: { points: FILTER, make: (_, { volumes }) => volumeZone(volumes.names) },
  PodTopologySpread: {
    points: [...FILTER, ...SCORE],
    make: (args, { names }) => podTopologySpread(args.PodTopologySpread, names),
  },
  InterPodAffinity: { points: [...FILTER, ...SCORE], make: (args) => interPodAffinity(args.InterPodAffinity) },
  NodeResourcesBalancedAllocation: {
    points: SCORE,
    make: (args) => balancedAllocation(args.NodeResourcesBalancedAllocation),
  },
  ImageLocality: { points: ['score'], make: () => imageLocality },
  DefaultPreemption: { points: ['postFilter'] },
  DefaultBinder: { points: ['bind'] },
};

/** Names of all plugins with the extension points that they implement. */
export const pluginRegistry: PluginRegistry = new Map(
  Object.entries(TABLE).map(([name, { points }]) => [name, new Set(points)]),
);

/** Makes a plugin; undefined for what the scheduler itself does. @throws SelectorError for arguments that cannot be used */
export function makePlugin(name: string, args: PluginArgs, host: PluginHost): AnyPlugin | undefined {
  return TABLE[name]?.make?.(args, host);
}
