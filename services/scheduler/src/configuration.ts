import { readFile, writeFile } from 'node:fs/promises';
import { namesOf } from '@orch/machinery';
import {
  defaultConfiguration,
  type ReadConfiguration,
  readSchedulerConfiguration,
  type SchedulerConfiguration,
  writtenConfiguration,
} from '@orch/scheduler';
import { pluginRegistry } from '@orch/scheduler-plugins';
import { parse, stringify } from 'yaml';
import type { SchedulerOptionValues } from './options.js';

const settingsOf = ({ naming }: SchedulerOptionValues) => ({
  registry: pluginRegistry,
  names: namesOf(naming),
  features: { volumeCapacityPriority: false },
});

/** Reads the file of the options; the default configuration without one. @throws Error that names the file and its fields */
export async function configurationOf(options: SchedulerOptionValues): Promise<ReadConfiguration> {
  const { config } = options;
  if (config === undefined) return { configuration: defaultConfiguration(settingsOf(options)), warnings: [] };
  try {
    return readSchedulerConfiguration(parse(await readFile(config, 'utf8')), settingsOf(options));
  } catch (error) {
    throw new Error(`${config}: ${(error as Error).message}`, { cause: error });
  }
}

/** Writes a configuration to a file, with all defaults. */
export async function writeConfiguration(
  file: string,
  configuration: SchedulerConfiguration,
  { naming }: SchedulerOptionValues,
): Promise<void> {
  await writeFile(file, stringify(writtenConfiguration(configuration, namesOf(naming))));
}
