import type { FieldError } from '@orch/machinery';
import { duplicate, invalidValue, required } from '@orch/machinery';
import { EXTENSION_POINTS, type PluginRegistry } from '@orch/scheduler-plugins';
import type { ConfiguredPlugin, PluginSet, PluginSets, SchedulerProfile } from './configuration.js';
import { mergePluginSets, pluginSetsOf } from './default-plugins.js';
import { expandPlugins } from './expand-plugins.js';
import { hasArgs, pluginArgsOf, readArgs } from './read-args.js';
import type { StrictFields } from './strict-fields.js';
import { argsErrors, type ConfigurationFeatures } from './validate-args.js';

const NO_SET: PluginSet = { enabled: [], disabled: [] };
/** Plugin of earlier versions that v1 no longer knows. */
const REMOVED = 'SelectorSpread';

/** A profile as it was written. */
export interface WrittenProfile {
  /** Path of the profile. */
  readonly path: string;
  /** Version of the configuration. */
  readonly version: 'v1' | 'v1beta3';
  /** Scheduler name, where one is given. */
  readonly schedulerName: string | undefined;
  /** Percentage of nodes, where one is given. */
  readonly percentageOfNodesToScore: number | undefined;
  /** Sets of plugins, where any are given. */
  readonly plugins: PluginSets | undefined;
  /** Arguments in the order of the list, which may name a plugin twice; read for those that have a type. */
  readonly pluginConfig: readonly { readonly name: string; readonly args: unknown }[];
}

/** Reads a profile. @throws Error for wrong types, and for arguments of another plugin */
export function profileFields(fields: StrictFields, version: 'v1' | 'v1beta3'): WrittenProfile {
  return {
    path: fields.path,
    version,
    schedulerName: fields.optionalText('schedulerName'),
    // Only v1 has percentages of profiles.
    percentageOfNodesToScore: version === 'v1' ? fields.integer('percentageOfNodesToScore') : undefined,
    plugins: fields.object('plugins', (sets) => pluginSetsOf((point) => sets.object(point, setFields) ?? NO_SET)),
    pluginConfig: fields.objects('pluginConfig', configFields) ?? [],
  };
}

const setFields = (fields: StrictFields): PluginSet => ({
  enabled: fields.objects('enabled', pluginFields) ?? [],
  // Weights of plugins that are switched off mean nothing, but may stand there.
  disabled: (fields.objects('disabled', pluginFields) ?? []).map(({ name }) => name),
});

const pluginFields = (fields: StrictFields): ConfiguredPlugin => ({
  name: fields.text('name'),
  weight: fields.integer('weight') ?? 0,
});

function configFields(fields: StrictFields): WrittenProfile['pluginConfig'][number] {
  const name = fields.text('name');
  if (hasArgs(name)) return { name, args: fields.object('args', (args) => readArgs(name, args)) };
  return { name, args: fields.any('args') };
}

/** Validates a profile by itself, with the messages of the reference. */
export function profileErrors(
  profile: WrittenProfile,
  registry: PluginRegistry,
  features: ConfigurationFeatures,
): FieldError[] {
  const { path, schedulerName, percentageOfNodesToScore: percentage, plugins } = profile;
  const sets = plugins ? EXTENSION_POINTS.map((point) => [point, plugins[point].enabled] as const) : [];
  return [
    ...(schedulerName ? [] : [required(`${path}.schedulerName`)]),
    ...percentageErrors(percentage, `${path}.percentageOfNodesToScore`),
    ...sets.flatMap(([point, enabled]) =>
      enabled.flatMap((plugin, i) => pluginErrors(plugin, profile, `${path}.plugins.${point}.enabled[${i}]`)),
    ),
    ...profile.pluginConfig.flatMap((_, i) => configErrors(profile, i, registry, features)),
  ];
}

/** Validates a percentage of nodes. */
export const percentageErrors = (percentage: number | undefined, at: string): FieldError[] =>
  percentage !== undefined && (percentage < 0 || percentage > 100)
    ? [invalidValue(at, percentage, 'not in valid range [0-100]')]
    : [];

const removedErrors = (name: string, { version }: WrittenProfile, at: string): FieldError[] =>
  name === REMOVED && version === 'v1'
    ? [invalidValue(at, name, 'was invalid in version "v1" (KubeSchedulerConfiguration is version "v1")')]
    : [];

function pluginErrors({ name, weight }: ConfiguredPlugin, profile: WrittenProfile, at: string): FieldError[] {
  if (weight < 0) return [invalidValue(`${at}.weight`, weight, 'must not be negative')];
  return removedErrors(name, profile, at);
}

function configErrors(
  profile: WrittenProfile,
  i: number,
  registry: PluginRegistry,
  features: ConfigurationFeatures,
): FieldError[] {
  const at = `${profile.path}.pluginConfig[${i}]`;
  const { name, args } = profile.pluginConfig[i] ?? { name: '', args: undefined };
  const isTwice = profile.pluginConfig.slice(0, i).some((other) => other.name === name);
  const removed = removedErrors(name, profile, at);
  const isUnknown = removed.length === 0 && !registry.has(name);
  return [
    ...(isTwice ? [duplicate(at, name)] : []),
    ...removed,
    ...(isUnknown ? [invalidValue(`${at}.name`, name, 'there is no such plugin')] : []),
    ...(hasArgs(name) && args !== undefined ? argsErrors(name, args as never, `${at}.args`, features) : []),
  ];
}

/** Resolves a valid profile. @throws Error for sets of plugins that cannot run together */
export function resolveProfile(
  profile: WrittenProfile,
  { registry, features }: { readonly registry: PluginRegistry; readonly features: ConfigurationFeatures },
): SchedulerProfile {
  const { path, schedulerName = '', percentageOfNodesToScore, plugins, pluginConfig } = profile;
  const pluginSets = mergePluginSets(plugins);
  const configured = new Map(pluginConfig.map(({ name, args }) => [name, args]));
  try {
    return {
      schedulerName,
      percentageOfNodesToScore,
      pluginSets,
      plugins: expandPlugins(pluginSets, registry, schedulerName),
      args: pluginArgsOf(configured, features.volumeCapacityPriority),
    };
  } catch (error) {
    throw new Error(`${path}: ${(error as Error).message}`, { cause: error });
  }
}
