import { readFile } from 'node:fs/promises';
import type { Names } from '@orch/machinery';
import { defaultConfiguration, type ReadConfiguration, readSchedulerConfiguration } from '@orch/scheduler';
import { pluginRegistry } from '@orch/scheduler-plugins';
import { parse } from 'yaml';

/** Source of a configuration. */
export interface ConfigurationSource {
  /** File with a KubeSchedulerConfiguration; undefined is the default configuration. */
  readonly file: string | undefined;
  /** Names of the installation. */
  readonly names: Names;
}

/** Reads the configuration of a scheduler. @throws Error that names the file and its fields */
export async function configurationOf({ file, names }: ConfigurationSource): Promise<ReadConfiguration> {
  const settings = { registry: pluginRegistry, names, features: { volumeCapacityPriority: false } };
  if (file === undefined) return { configuration: defaultConfiguration(settings), warnings: [] };
  try {
    return readSchedulerConfiguration(parse(await readFile(file, 'utf8')), settings);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
  }
}
