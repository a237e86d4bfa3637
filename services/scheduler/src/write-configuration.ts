import { writeFile } from 'node:fs/promises';
import type { Names } from '@orch/machinery';
import { type SchedulerConfiguration, writtenConfiguration } from '@orch/scheduler';
import { stringify } from 'yaml';

/** Writes a configuration to a file, with all defaults. */
export async function writeConfiguration(
  file: string,
  configuration: SchedulerConfiguration,
  names: Names,
): Promise<void> {
  await writeFile(file, stringify(writtenConfiguration(configuration, names)));
}
