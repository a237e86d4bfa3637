import { readFile } from 'node:fs/promises';
import { formatApiVersion, isObject, type Names } from '@orch/machinery';
import { type ReadConfiguration, readSchedulerConfiguration } from '@orch/scheduler';
import { pluginRegistry } from '@orch/scheduler-plugins';
import { parse } from 'yaml';

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
}

/** Reads the configuration of a scheduler. @throws Error that names the file and its fields */
export async function configurationOf({
  file,
  names,
  overrides = {},
}: ConfigurationSource): Promise<ReadConfiguration> {
  const settings = { registry: pluginRegistry, names, features: { volumeCapacityPriority: false } };
  const empty = {
    apiVersion: formatApiVersion({ group: names.group('kubescheduler.config.orch.io'), version: 'v1' }),
    kind: 'KubeSchedulerConfiguration',
  };
  try {
    const document: unknown = file === undefined ? empty : parse(await readFile(file, 'utf8'));
    return readSchedulerConfiguration(withElection(document, overrides), settings);
  } catch (error) {
    throw new Error(`${file ?? 'the options'}: ${(error as Error).message}`, { cause: error });
  }
}

/** Puts the options into the document, so that all of it is validated together. */
function withElection(document: unknown, overrides: ElectionOverrides): unknown {
  const time = (ms: number | undefined) => (ms === undefined ? undefined : `${ms}ms`);
  const given = Object.entries({
    leaderElect: overrides.leaderElect,
    leaseDuration: time(overrides.leaderElectLeaseDuration),
    renewDeadline: time(overrides.leaderElectRenewDeadline),
    retryPeriod: time(overrides.leaderElectRetryPeriod),
    resourceName: overrides.leaderElectResourceName,
    resourceNamespace: overrides.leaderElectResourceNamespace,
  }).filter(([, value]) => value !== undefined);
  if (given.length === 0 || !isObject(document)) return document;
  const { leaderElection } = document;
  if (leaderElection !== undefined && leaderElection !== null && !isObject(leaderElection)) return document;
  return { ...document, leaderElection: { ...leaderElection, ...Object.fromEntries(given) } };
}
