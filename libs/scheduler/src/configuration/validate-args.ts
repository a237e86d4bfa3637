import { duplicate, type FieldError, invalidValue, notSupported, qualifiedNameErrors, required } from '@orch/machinery';
import type {
  BalancedAllocationArgs,
  DefaultPreemptionArgs,
  PluginArgs,
  ResourcesFitArgs,
  ShapePoint,
  VolumeBindingArgs,
  WeightedResource,
} from '@orch/scheduler-plugins';
import { nodeAffinityErrors, spreadArgsErrors } from './validate-affinity.js';

const STRATEGIES = ['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio'];
const HIGHEST_SCORE = 10;

/** Features that configurations depend on. */
export interface ConfigurationFeatures {
  /** Feature gate VolumeCapacityPriority: nodes are scored by how full static volumes would be. */
  readonly volumeCapacityPriority: boolean;
}

/** Validates the arguments of a plugin, with the messages of the reference. */
export function argsErrors<Name extends keyof PluginArgs>(
  name: Name,
  args: PluginArgs[Name],
  path: string,
  features: ConfigurationFeatures,
): FieldError[] {
  return VALIDATORS[name](args, path, features);
}

const VALIDATORS: {
  readonly [Name in keyof PluginArgs]: (
    args: PluginArgs[Name],
    path: string,
    features: ConfigurationFeatures,
  ) => FieldError[];
} = {
  DefaultPreemption: preemptionErrors,
  InterPodAffinity: ({ hardPodAffinityWeight }, path) =>
    rangeErrors(`${path}.hardPodAffinityWeight`, hardPodAffinityWeight, 100),
  NodeAffinity: ({ addedAffinity }, path) => nodeAffinityErrors(addedAffinity, `${path}.addedAffinity`),
  NodeResourcesBalancedAllocation: balanceErrors,
  NodeResourcesFit: fitErrors,
  PodTopologySpread: spreadArgsErrors,
  VolumeBinding: volumeBindingErrors,
};

function rangeErrors(field: string, value: number, highest: number): FieldError[] {
  return value < 0 || value > highest ? [invalidValue(field, value, `not in valid range [0, ${highest}]`)] : [];
}

function preemptionErrors(args: DefaultPreemptionArgs, path: string): FieldError[] {
  const [percentageAt, absoluteAt] = [`${path}.minCandidateNodesPercentage`, `${path}.minCandidateNodesAbsolute`];
  const { minCandidateNodesPercentage: percentage, minCandidateNodesAbsolute: absolute } = args;
  const errors = rangeErrors(percentageAt, percentage, 100);
  if (absolute < 0) errors.push(invalidValue(absoluteAt, absolute, 'not in valid range [0, inf)'));
  if (percentage === 0 && absolute === 0)
    errors.push(
      invalidValue(percentageAt, percentage, 'cannot be zero at the same time as minCandidateNodesAbsolute'),
      invalidValue(absoluteAt, absolute, 'cannot be zero at the same time as minCandidateNodesPercentage'),
    );
  return errors;
}

function balanceErrors({ resources }: BalancedAllocationArgs, path: string): FieldError[] {
  const seen = new Set<string>();
  return resources.flatMap(({ name, weight }, i) => {
    const at = `${path}.resources[${i}]`;
    const errors = seen.has(name) ? [duplicate(`${at}.name`, name)] : [];
    seen.add(name);
    return weight === 1 ? errors : [...errors, invalidValue(`${at}.weight`, weight, 'must be 1')];
  });
}

function fitErrors(args: ResourcesFitArgs, path: string): FieldError[] {
  const { type, resources, shape } = args.scoringStrategy;
  const at = `${path}.scoringStrategy`;
  return [
    ...args.ignoredResources.flatMap((name, i) => nameErrors(name, `${path}.ignoredResources[${i}]`)),
    ...args.ignoredResourceGroups.flatMap((group, i) => groupErrors(group, `${path}.ignoredResourceGroups[${i}]`)),
    ...(STRATEGIES.includes(type) ? [] : [notSupported(`${at}.type`, type, STRATEGIES)]),
    ...resources.flatMap((resource, i) => resourceErrors(resource, `${at}.resources[${i}].weight`)),
    ...(type === 'RequestedToCapacityRatio' || shape.length > 0 ? shapeErrors(shape, `${at}.shape`) : []),
  ];
}

const nameErrors = (name: string, at: string): FieldError[] =>
  qualifiedNameErrors(name).map((detail) => invalidValue(at, name, detail));

const groupErrors = (group: string, at: string): FieldError[] => [
  ...(group.includes('/') ? [invalidValue(at, group, "resource group name can't contain '/'")] : []),
  ...nameErrors(group, at),
];

function resourceErrors({ name, weight }: WeightedResource, at: string): FieldError[] {
  if (weight > 0 && weight <= 100) return [];
  return [invalidValue(at, weight, `resource weight of ${name} not in valid range (0, 100]`)];
}

function shapeErrors(shape: readonly ShapePoint[], path: string): FieldError[] {
  if (shape.length === 0) return [required(path, 'at least one point must be specified')];
  const unsorted = shape.findIndex(({ utilization }, i) => i > 0 && (shape[i - 1]?.utilization ?? 0) >= utilization);
  const order = 'utilization values must be sorted in increasing order';
  return [
    ...(unsorted < 0 ? [] : [invalidValue(`${path}[${unsorted}].utilization`, shape[unsorted]?.utilization, order)]),
    ...shape.flatMap(({ utilization, score }, i) => [
      ...rangeErrors(`${path}[${i}].utilization`, utilization, 100),
      ...rangeErrors(`${path}[${i}].score`, score, HIGHEST_SCORE),
    ]),
  ];
}

function volumeBindingErrors(
  { bindTimeoutSeconds, shape }: VolumeBindingArgs,
  path: string,
  { volumeCapacityPriority }: ConfigurationFeatures,
): FieldError[] {
  const errors: FieldError[] = [];
  if (bindTimeoutSeconds < 0)
    errors.push(
      invalidValue(
        `${path}.bindTimeoutSeconds`,
        bindTimeoutSeconds,
        'invalid BindTimeoutSeconds, should not be a negative value',
      ),
    );
  if (!shape) return errors;
  if (volumeCapacityPriority) return [...errors, ...shapeErrors(shape, `${path}.shape`)];
  const detail = 'unexpected field `shape`, remove it or turn on the feature gate VolumeCapacityPriority';
  return [...errors, invalidValue(`${path}.shape`, shape, detail)];
}
