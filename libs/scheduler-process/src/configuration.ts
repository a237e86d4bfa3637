import { readFile } from 'node:fs/promises';
import { formatApiVersion, isObject, type Names } from '@orch/machinery';
import { type ReadConfiguration, readSchedulerConfiguration } from '@orch/scheduler';
import { pluginRegistry } from '@orch/scheduler-plugins';
import { parse } from 'yaml';

/** Values of deprecated options, which count only where there is no file; those that are not given are undefined. */
interface ConnectionOverrides {
  /** Requests a second. */
  readonly kubeApiQps?: number | undefined;
  /** Requests at once. */
  readonly kubeApiBurst?: number | undefined;
  /** Media type of requests. */
  readonly kubeApiContentType?: string | undefined;
  /** Name of the Lease. */
  readonly lockObjectName?: string | undefined;
  /** Namespace of the Lease. */
  readonly lockObjectNamespace?: string | undefined;
}

/** Values of options that stand above the file; those that are not given are undefined. */
interface ElectionOverrides {
  /** Whether the process waits until it holds the Lease. */
  readonly leaderElect?: boolean | undefined;
  /** Milliseconds after which others take the Lease over. */
  readonly leaderElectLeaseDuration?: number | undefined;
  /** Milliseconds in which it must be renewed. */
  readonly leaderElectRenewDeadline?: number | undefined;
  /** Milliseconds between attempts. */
  readonly leaderElectRetryPeriod?: number | undefined;
  /** Name of the Lease. */
  readonly leaderElectResourceName?: string | undefined;
  /** Namespace of the Lease. */
  readonly leaderElectResourceNamespace?: string | undefined;
}

/** Source of a configuration. */
export interface ConfigurationSource {
  /** File with a KubeSchedulerConfiguration; undefined is the default configuration. */
  readonly file: string | undefined;
  /** Names of the installation. */
  readonly names: Names;
  /** Options that stand above the file. */
  readonly overrides?: ElectionOverrides;
  /** Options that stand for a file where there is none. */
  readonly deprecated?: ConnectionOverrides;
  /** Whether the feature VolumeCapacityPriority is on. Default: it is not. */
  readonly volumeCapacityPriority?: boolean;
}

/** Reads the configuration of a scheduler. @throws Error that names the file and its fields */
export async function configurationOf({
  file,
  names,
  overrides = {},
  deprecated = {},
  volumeCapacityPriority = false,
}: ConfigurationSource): Promise<ReadConfiguration> {
  const settings = { registry: pluginRegistry, names, features: { volumeCapacityPriority } };
  const empty = {
    apiVersion: formatApiVersion({ group: names.group('kubescheduler.config.orch.io'), version: 'v1' }),
    kind: 'KubeSchedulerConfiguration',
    ...fromDeprecated(deprecated),
  };
  try {
    const document: unknown = file === undefined ? empty : parse(await readFile(file, 'utf8'));
    return readSchedulerConfiguration(withElection(document, overrides), settings);
  } catch (error) {
    throw new Error(`${file ?? 'the options'}: ${(error as Error).message}`, { cause: error });
  }
}

/** Returns the fields of a document that deprecated options stand for. */
function fromDeprecated(options: ConnectionOverrides): object {
  const { kubeApiQps: qps, kubeApiBurst: burst, kubeApiContentType: contentType } = options;
  const { lockObjectName: resourceName, lockObjectNamespace: resourceNamespace } = options;
  return {
    clientConnection: given({ qps, burst, contentType }),
    leaderElection: given({ resourceName, resourceNamespace }),
  };
}

/** Returns the values that are there. */
const given = (values: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** Puts the options into the document, so that all of it is validated together. */
function withElection(document: unknown, overrides: ElectionOverrides): unknown {
  const time = (ms: number | undefined) => (ms === undefined ? undefined : `${ms}ms`);
  const election = given({
    leaderElect: overrides.leaderElect,
    leaseDuration: time(overrides.leaderElectLeaseDuration),
    renewDeadline: time(overrides.leaderElectRenewDeadline),
    retryPeriod: time(overrides.leaderElectRetryPeriod),
    resourceName: overrides.leaderElectResourceName,
    resourceNamespace: overrides.leaderElectResourceNamespace,
  });
  if (Object.keys(election).length === 0 || !isObject(document)) return document;
  const { leaderElection } = document;
  if (leaderElection !== undefined && leaderElection !== null && !isObject(leaderElection)) return document;
  return { ...document, leaderElection: { ...leaderElection, ...election } };
}
