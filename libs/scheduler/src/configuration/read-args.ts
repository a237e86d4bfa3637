import type {
  PluginArgs,
  ResourcesFitArgs,
  ScoringStrategy,
  ShapePoint,
  WeightedResource,
} from '@orch/scheduler-plugins';
import { nodeAffinityFields, topologyConstraintFields } from './read-affinity.js';
import type { StrictFields } from './strict-fields.js';

/** Resources that are scored by default. */
const CPU_AND_MEMORY: readonly WeightedResource[] = [
  { name: 'cpu', weight: 1 },
  { name: 'memory', weight: 1 },
];

/** Score of full utilization, and the default shape of scores of volumes. */
const HIGHEST_SCORE = 10;
const LINEAR: readonly ShapePoint[] = [
  { utilization: 0, score: 0 },
  { utilization: 100, score: HIGHEST_SCORE },
];

/** Readers of the arguments of each plugin, which fill in defaults; without fields they return the defaults. */
const READERS: { readonly [Name in keyof PluginArgs]: (fields: StrictFields | undefined) => PluginArgs[Name] } = {
  DefaultPreemption: (fields) => ({
    minCandidateNodesPercentage: fields?.integer('minCandidateNodesPercentage') ?? 10,
    minCandidateNodesAbsolute: fields?.integer('minCandidateNodesAbsolute') ?? 100,
  }),
  InterPodAffinity: (fields) => ({
    hardPodAffinityWeight: fields?.integer('hardPodAffinityWeight') ?? 1,
    ignorePreferredTermsOfExistingPods: fields?.flag('ignorePreferredTermsOfExistingPods') ?? false,
  }),
  NodeAffinity: (fields) => {
    const addedAffinity = fields?.object('addedAffinity', nodeAffinityFields);
    return addedAffinity === undefined ? {} : { addedAffinity };
  },
  NodeResourcesBalancedAllocation: (fields) => ({ resources: resourcesOf(fields) }),
  NodeResourcesFit: fitArgsOf,
  PodTopologySpread: (fields) => ({
    defaultConstraints: fields?.objects('defaultConstraints', topologyConstraintFields) ?? [],
    defaultingType: (fields?.text('defaultingType') || 'System') as 'System' | 'List',
  }),
  VolumeBinding: (fields) => ({
    bindTimeoutSeconds: fields?.integer('bindTimeoutSeconds') ?? 600,
    shape: shapeOf(fields),
  }),
};

/** Whether a plugin has arguments. */
export const hasArgs = (name: string): name is keyof PluginArgs => Object.hasOwn(READERS, name);

/** Returns the arguments of all plugins that have any: read where they are configured, defaults elsewhere. */
export function pluginArgsOf(configured: ReadonlyMap<string, unknown>, scoresVolumes: boolean): PluginArgs {
  const args = Object.fromEntries(
    Object.entries(READERS).map(([name, read]) => [name, configured.get(name) ?? read(undefined)]),
  ) as unknown as PluginArgs;
  if (!scoresVolumes || args.VolumeBinding.shape?.length) return args;
  return { ...args, VolumeBinding: { ...args.VolumeBinding, shape: LINEAR } };
}

/** Reads the arguments of a plugin that has any; `kind`, where it is given, must be that of the plugin. */
export function readArgs<Name extends keyof PluginArgs>(name: Name, fields: StrictFields): PluginArgs[Name] {
  const kind = fields.text('kind');
  const apiVersion = fields.text('apiVersion');
  if (kind !== '' && kind !== `${name}Args`)
    throw new Error(`${fields.path}: args for plugin ${name} were not of type ${name}Args, got ${kind}`);
  if (apiVersion !== '' && !isSchedulerVersion(apiVersion))
    throw new Error(`${fields.at('apiVersion')}: no kind "${name}Args" is registered for version "${apiVersion}"`);
  return READERS[name](fields);
}

const SCHEDULER_VERSION = /^kubescheduler\.config\.[a-z0-9.-]+\/(v1|v1beta3)$/;

/** Returns the version of an `apiVersion` of the scheduler's configuration, in either profile of names. */
export const schedulerVersion = (apiVersion: string): 'v1' | 'v1beta3' | undefined =>
  SCHEDULER_VERSION.exec(apiVersion)?.[1] as 'v1' | 'v1beta3' | undefined;

const isSchedulerVersion = (apiVersion: string): boolean => schedulerVersion(apiVersion) !== undefined;

function fitArgsOf(fields: StrictFields | undefined): ResourcesFitArgs {
  return {
    ignoredResources: fields?.texts('ignoredResources') ?? [],
    ignoredResourceGroups: fields?.texts('ignoredResourceGroups') ?? [],
    scoringStrategy: fields?.object('scoringStrategy', strategyOf) ?? {
      type: 'LeastAllocated',
      resources: CPU_AND_MEMORY,
      shape: [],
    },
  };
}

const strategyOf = (fields: StrictFields): ScoringStrategy => ({
  type: fields.text('type') as ScoringStrategy['type'],
  resources: resourcesOf(fields),
  shape: fields.object('requestedToCapacityRatio', shapeOf) ?? [],
});

function resourcesOf(fields: StrictFields | undefined): readonly WeightedResource[] {
  const resources = fields?.objects('resources', (each) => ({
    name: each.text('name'),
    weight: each.integer('weight') || 1,
  }));
  return resources && resources.length > 0 ? resources : CPU_AND_MEMORY;
}

const shapeOf = (fields: StrictFields | undefined): readonly ShapePoint[] | undefined =>
  fields?.objects('shape', (point) => ({
    utilization: point.integer('utilization') ?? 0,
    score: point.integer('score') ?? 0,
  }));
