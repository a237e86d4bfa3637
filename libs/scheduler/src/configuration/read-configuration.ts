import { duplicate, type FieldError, invalidValue, type Names } from '@orch/machinery';
import type { PluginRegistry } from '@orch/scheduler-plugins';
import type {
  ExtenderConfiguration,
  PluginSets,
  SchedulerClientConnection,
  SchedulerConfiguration,
  SchedulerLeaderElection,
  SchedulerProfile,
} from './configuration.js';
import { schedulerVersion } from './read-args.js';
import { extenderFields, extendersErrors } from './read-extender.js';
import { percentageErrors, profileErrors, profileFields, resolveProfile, type WrittenProfile } from './read-profile.js';
import { StrictFields } from './strict-fields.js';
import type { ConfigurationFeatures } from './validate-args.js';

const KIND = 'KubeSchedulerConfiguration';
const DEFAULT_NAME = 'default-scheduler';

/** Settings for reading a configuration. */
interface ConfigurationSettings {
  /** Plugins that exist. */
  readonly registry: PluginRegistry;
  /** Names of the profile. */
  readonly names: Names;
  /** Features that are on. */
  readonly features: ConfigurationFeatures;
}

/** A configuration, and what those who wrote it should be told. */
export interface ReadConfiguration {
  /** The configuration, valid. */
  readonly configuration: SchedulerConfiguration;
  /** Deprecations. */
  readonly warnings: readonly string[];
}

/** Configuration of a scheduler that is given none. */
export const defaultConfiguration = (settings: ConfigurationSettings): SchedulerConfiguration =>
  readSchedulerConfiguration({ apiVersion: 'kubescheduler.config.k8s.io/v1', kind: KIND }, settings).configuration;

/**
 * Reads a KubeSchedulerConfiguration, fills in defaults, validates it, and resolves the plugins of each profile.
 * @param value as it was parsed from YAML or JSON
 * @throws Error that names the fields that are wrong, with all invalid values at once
 */
export function readSchedulerConfiguration(value: unknown, settings: ConfigurationSettings): ReadConfiguration {
  const { profiles, ...written } = StrictFields.read(value, documentFields);
  const errors = [
    ...documentErrors(written),
    ...profilesErrors(profiles, settings),
    ...extendersErrors(written.extenders, settings.names),
  ];
  if (errors.length > 0) throw new Error(errors.map(({ field, message }) => `${field}: ${message}`).join('; '));
  const ignored = ignoredResources(written.extenders);
  const resolved = profiles.map((profile) => withIgnored(resolveProfile(profile, settings), ignored));
  const { clientConnection } = written;
  const contentType = clientConnection.contentType || settings.names.protobufMediaType;
  const connection = { ...clientConnection, contentType };
  const configuration: SchedulerConfiguration = { ...written, clientConnection: connection, profiles: resolved };
  const isDeprecated = configuration.version === 'v1beta3';
  return {
    configuration,
    warnings: isDeprecated ? [`${KIND} v1beta3 is deprecated in v1.26, will be removed in v1.29`] : [],
  };
}

/** Returns the resources that only extenders count. */
const ignoredResources = (extenders: readonly ExtenderConfiguration[]): readonly string[] =>
  extenders.flatMap(({ managedResources }) =>
    managedResources.filter(({ ignoredByScheduler }) => ignoredByScheduler).map(({ name }) => name),
  );

function withIgnored(profile: SchedulerProfile, ignored: readonly string[]): SchedulerProfile {
  if (ignored.length === 0) return profile;
  const fit = profile.args.NodeResourcesFit;
  const all = new Set([...fit.ignoredResources, ...ignored]);
  return { ...profile, args: { ...profile.args, NodeResourcesFit: { ...fit, ignoredResources: [...all] } } };
}

type WrittenConfiguration = Omit<SchedulerConfiguration, 'profiles'> & { readonly profiles: readonly WrittenProfile[] };

function documentFields(fields: StrictFields): WrittenConfiguration {
  const version = versionOf(fields);
  const enableProfiling = fields.flag('enableProfiling') ?? true;
  const contention = fields.flag('enableContentionProfiling');
  return {
    version,
    parallelism: fields.integer('parallelism') ?? 16,
    percentageOfNodesToScore: fields.integer('percentageOfNodesToScore') ?? 0,
    podInitialBackoffSeconds: fields.integer('podInitialBackoffSeconds') ?? 1,
    podMaxBackoffSeconds: fields.integer('podMaxBackoffSeconds') ?? 10,
    enableProfiling,
    enableContentionProfiling: contention ?? enableProfiling,
    leaderElection: fields.object('leaderElection', electionFields) ?? electionFields(undefined),
    clientConnection: fields.object('clientConnection', connectionFields) ?? connectionFields(undefined),
    profiles: profilesOf(fields, version),
    extenders: fields.objects('extenders', extenderFields) ?? [],
  };
}

function versionOf(fields: StrictFields): 'v1' | 'v1beta3' {
  const [apiVersion, kind] = [fields.text('apiVersion'), fields.text('kind')];
  const version = schedulerVersion(apiVersion);
  if (kind !== KIND || version === undefined)
    throw new Error(`no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`);
  return version;
}

/** Reads the profiles; without any there is one, and a single one has the default name. */
function profilesOf(fields: StrictFields, version: 'v1' | 'v1beta3'): readonly WrittenProfile[] {
  const profiles = fields.objects('profiles', (each) => profileFields(each, version)) ?? [];
  const none = { path: 'profiles[0]', version, percentageOfNodesToScore: undefined, plugins: undefined };
  const [first = { ...none, schedulerName: undefined, pluginConfig: [] }] = profiles;
  if (profiles.length > 1) return profiles;
  return [{ ...first, schedulerName: first.schedulerName ?? DEFAULT_NAME }];
}

const electionFields = (fields: StrictFields | undefined): SchedulerLeaderElection => ({
  leaderElect: fields?.flag('leaderElect') ?? true,
  leaseDurationMs: fields?.durationMs('leaseDuration') || 15_000,
  renewDeadlineMs: fields?.durationMs('renewDeadline') || 10_000,
  retryPeriodMs: fields?.durationMs('retryPeriod') || 2_000,
  resourceLock: fields?.text('resourceLock') || 'leases',
  resourceName: fields?.text('resourceName') || 'kube-scheduler',
  resourceNamespace: fields?.text('resourceNamespace') || 'kube-system',
});

const connectionFields = (fields: StrictFields | undefined): SchedulerClientConnection => ({
  kubeconfig: fields?.text('kubeconfig') ?? '',
  acceptContentTypes: fields?.text('acceptContentTypes') ?? '',
  contentType: fields?.text('contentType') ?? '',
  // The flow control of the API bounds a scheduler; a rate of its own is for those who ask for one.
  qps: fields?.number('qps') || -1,
  burst: fields?.integer('burst') || 0,
});

type WrittenDocument = Omit<WrittenConfiguration, 'profiles'>;

function documentErrors(written: WrittenDocument): FieldError[] {
  const { parallelism, podInitialBackoffSeconds: initial, podMaxBackoffSeconds: longest, clientConnection } = written;
  const { burst } = clientConnection;
  const least = 'must be greater than or equal to PodInitialBackoffSeconds';
  return [
    ...(burst < 0 ? [invalidValue('clientConnection.burst', burst, 'must be non-negative')] : []),
    ...electionErrors(written.leaderElection),
    ...(parallelism > 0
      ? []
      : [invalidValue('parallelism', parallelism, 'should be an integer value greater than zero')]),
    ...percentageErrors(written.percentageOfNodesToScore, 'percentageOfNodesToScore'),
    ...(initial > 0 ? [] : [invalidValue('podInitialBackoffSeconds', initial, 'must be greater than 0')]),
    ...(longest >= initial ? [] : [invalidValue('podMaxBackoffSeconds', longest, least)]),
  ];
}

function electionErrors(election: SchedulerLeaderElection): FieldError[] {
  if (!election.leaderElect) return [];
  const { leaseDurationMs: lease, renewDeadlineMs: renew, retryPeriodMs: retry, resourceLock } = election;
  const positive = Object.entries({ leaseDuration: lease, renewDeadline: renew, retryPeriod: retry });
  const order = 'LeaseDuration must be greater than RenewDeadline';
  return [
    ...positive.flatMap(([name, ms]) =>
      ms > 0 ? [] : [invalidValue(`leaderElection.${name}`, `${ms / 1_000}s`, 'must be greater than zero')],
    ),
    ...(lease > renew ? [] : [invalidValue('leaderElection.leaseDuration', `${renew / 1_000}s`, order)]),
    ...(resourceLock === 'leases'
      ? []
      : [invalidValue('leaderElection.resourceLock', resourceLock, 'resourceLock value must be "leases"')]),
  ];
}

function profilesErrors(
  profiles: readonly WrittenProfile[],
  { registry, features }: ConfigurationSettings,
): FieldError[] {
  const seen = new Map<string, string>();
  const errors = profiles.flatMap((profile) => {
    const { path, schedulerName = '' } = profile;
    const other = seen.get(schedulerName);
    if (other === undefined) seen.set(schedulerName, path);
    return [
      ...profileErrors(profile, registry, features),
      ...(other === undefined ? [] : [duplicate(`${path}.schedulerName`, schedulerName, `is that of ${other}`)]),
    ];
  });
  return [...errors, ...queueSortErrors(profiles)];
}

/** All profiles share one queue, and so the plugin that sorts it. */
function queueSortErrors(profiles: readonly WrittenProfile[]): FieldError[] {
  const setOf = (plugins: PluginSets | undefined) => plugins?.queueSort ?? { enabled: [], disabled: [] };
  const [first, ...others] = profiles;
  const set = setOf(first?.plugins);
  const [sort] = set.enabled;
  const argsOf = ({ pluginConfig }: WrittenProfile) =>
    JSON.stringify(pluginConfig.filter(({ name }) => name === sort?.name));
  const isSame = (other: PluginSets | undefined) => JSON.stringify(setOf(other)) === JSON.stringify(set);
  const match = 'has to match for all profiles';
  return [
    ...(set.enabled.length > 1
      ? [
          invalidValue(
            'profiles[0].plugins.queueSort.enabled',
            set.enabled.length,
            'only one queue sort plugin can be enabled',
          ),
        ]
      : []),
    ...others.flatMap((each) => [
      ...(isSame(each.plugins) ? [] : [invalidValue(`${each.path}.plugins.queueSort`, setOf(each.plugins), match)]),
      ...(first && argsOf(each) !== argsOf(first)
        ? [invalidValue(`${each.path}.pluginConfig`, sort?.name, match)]
        : []),
    ]),
  ];
}
