import { EXTENSION_POINTS, type ExtensionPoint } from '@orch/scheduler-plugins';
import type { ConfiguredPlugin, PluginSet, PluginSets } from './configuration.js';

/** Plugins that are on by default, in their order; those without a weight do not score, or score with weight 1. */
const DEFAULTS: readonly (readonly [name: string, weight?: number])[] = [
  ['PrioritySort'],
  ['NodeUnschedulable'],
  ['NodeName'],
  ['TaintToleration', 3],
  ['NodeAffinity', 2],
  ['NodePorts'],
  ['NodeResourcesFit', 1],
  ['VolumeRestrictions'],
  ['EBSLimits'],
  ['GCEPDLimits'],
  ['NodeVolumeLimits'],
  ['AzureDiskLimits'],
  ['VolumeBinding'],
  ['VolumeZone'],
  ['PodTopologySpread', 2],
  ['InterPodAffinity', 2],
  ['DefaultPreemption'],
  ['NodeResourcesBalancedAllocation', 1],
  ['ImageLocality', 1],
  ['DefaultBinder'],
  ['SchedulingGates'],
];

const POINTS: readonly (ExtensionPoint | 'multiPoint')[] = [...EXTENSION_POINTS, 'multiPoint'];
const NOTHING: PluginSet = { enabled: [], disabled: [] };

/** Makes the set of each extension point. */
export const pluginSetsOf = (setOf: (point: ExtensionPoint | 'multiPoint') => PluginSet): PluginSets =>
  Object.fromEntries(POINTS.map((point) => [point, setOf(point)])) as unknown as PluginSets;

const DEFAULT_SETS = pluginSetsOf((point) =>
  point === 'multiPoint'
    ? { enabled: DEFAULTS.map(([name, weight = 0]) => ({ name, weight })), disabled: [] }
    : NOTHING,
);

/**
 * Returns the default sets changed by configured ones: what is disabled goes, what is configured again keeps its place,
 * the rest is appended.
 */
export const mergePluginSets = (configured: PluginSets | undefined): PluginSets =>
  configured ? pluginSetsOf((point) => mergeSet(DEFAULT_SETS[point], configured[point])) : DEFAULT_SETS;

function mergeSet(base: PluginSet, configured: PluginSet): PluginSet {
  const disabled = new Set([...configured.disabled, ...base.disabled]);
  // Of plugins that are enabled twice, the last one replaces the default; the first is left, and refused later.
  const last = new Map(configured.enabled.map((plugin, at) => [plugin.name, at]));
  const replacing = new Set<number>();
  const kept = disabled.has('*') ? [] : base.enabled.filter(({ name }) => !disabled.has(name));
  const enabled = kept.map((plugin): ConfiguredPlugin => {
    const at = last.get(plugin.name);
    if (at === undefined) return plugin;
    replacing.add(at);
    return configured.enabled[at] as ConfiguredPlugin;
  });
  return {
    enabled: [...enabled, ...configured.enabled.filter((_, at) => !replacing.has(at))],
    disabled: [...configured.disabled, ...base.disabled],
  };
}
