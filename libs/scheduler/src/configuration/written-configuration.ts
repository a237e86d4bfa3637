import { formatDuration, type Names } from '@orch/machinery';
import type {
  ConfiguredPlugin,
  ExtenderConfiguration,
  PluginSet,
  SchedulerConfiguration,
  SchedulerProfile,
} from './configuration.js';

/** Returns a configuration as a file can hold it, with all defaults. Reading it again gives the same. */
export function writtenConfiguration(configuration: SchedulerConfiguration, names: Names): Record<string, unknown> {
  const { version, leaderElection, profiles, extenders, ...others } = configuration;
  const apiVersion = `${names.group('kubescheduler.config.orch.io')}/${version}`;
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, ...election } = leaderElection;
  const durations = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
  return {
    apiVersion,
    kind: 'KubeSchedulerConfiguration',
    ...others,
    ...(extenders.length > 0 && { extenders: extenders.map(writtenExtender) }),
    leaderElection: {
      ...election,
      ...Object.fromEntries(Object.entries(durations).map(([name, ms]) => [name.slice(0, -2), durationOf(ms)])),
    },
    profiles: profiles.map((profile) => writtenProfile(profile, apiVersion)),
  };
}

const NANOS_OF_MS = 1e6;
const durationOf = (ms: number): string => formatDuration(BigInt(Math.round(ms * NANOS_OF_MS)));

function writtenExtender({ timeoutMs, ...extender }: ExtenderConfiguration): Record<string, unknown> {
  return withoutEmpty({ ...extender, httpTimeout: durationOf(timeoutMs) });
}

/** Leaves out fields that say nothing. */
const withoutEmpty = (object: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== ''));

function writtenProfile(profile: SchedulerProfile, apiVersion: string): Record<string, unknown> {
  const { schedulerName, percentageOfNodesToScore, pluginSets, args } = profile;
  const sets = Object.entries(pluginSets).filter(([, set]) => set.enabled.length + set.disabled.length > 0);
  const { NodeResourcesFit, VolumeBinding, ...others } = args;
  const written = { ...others, NodeResourcesFit: fitOf(NodeResourcesFit), VolumeBinding: shaped(VolumeBinding) };
  // Arguments of plugins that are switched off say nothing.
  const enabled = new Set(Object.values(pluginSets).flatMap((set) => set.enabled.map(({ name }) => name)));
  return {
    schedulerName,
    ...(percentageOfNodesToScore !== undefined && { percentageOfNodesToScore }),
    plugins: Object.fromEntries(sets.map(([point, set]) => [point, writtenSet(set)])),
    pluginConfig: Object.entries(written)
      .filter(([name]) => enabled.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, own]) => ({ name, args: { apiVersion, kind: `${name}Args`, ...own } })),
  };
}

const fitOf = ({ scoringStrategy: { shape, ...strategy }, ...fit }: SchedulerProfile['args']['NodeResourcesFit']) => ({
  ...fit,
  scoringStrategy: { ...strategy, ...(shape.length > 0 && { requestedToCapacityRatio: { shape } }) },
});

const shaped = ({ shape, ...binding }: SchedulerProfile['args']['VolumeBinding']) => ({
  ...binding,
  ...(shape && { shape }),
});

const writtenSet = ({ enabled, disabled }: PluginSet) => ({
  ...(enabled.length > 0 && { enabled: enabled.map(writtenPlugin) }),
  ...(disabled.length > 0 && { disabled: disabled.map((name) => ({ name })) }),
});

const writtenPlugin = ({ name, weight }: ConfiguredPlugin) => ({ name, ...(weight > 0 && { weight }) });
