import { namesOf } from '@orch/machinery';
import { type OptionDefinitions, readCommandLine, resolveFeatures } from '@orch/runtime';
import { configurationOf } from '@orch/scheduler-process';
import { FEATURES, type SchedulerOptionValues, schedulerOptions } from './options.js';
import { writeConfiguration } from './write-configuration.js';

/** Every option of this command, as the reference of options lists them. */
export const definitions: OptionDefinitions = schedulerOptions.definitions;

/** Returns the options of the Lease; a file may say that it is not waited for, too. */
const overridesOf = ({ leaderElect, ...others }: SchedulerOptionValues) =>
  leaderElect ? others : { ...others, leaderElect };

/** `orch scheduler`: chooses nodes for pods, and binds them. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const line = readCommandLine(schedulerOptions, args, 'orch scheduler [options]');
  if (!line.run) return line.exitCode;
  const names = namesOf(line.values.naming);
  const features = resolveFeatures(FEATURES, line.values.featureGates);
  const { configuration, warnings } = await configurationOf({
    file: line.values.config,
    names,
    overrides: overridesOf(line.values),
    deprecated: line.values,
    volumeCapacityPriority: features.enabled('VolumeCapacityPriority'),
  });
  process.stderr.write([...features.warnings, ...warnings].map((warning) => `Warning: ${warning}\n`).join(''));
  const { writeConfigTo } = line.values;
  if (writeConfigTo !== undefined) {
    await writeConfiguration(writeConfigTo, configuration, names);
    return 0;
  }
  const { runScheduler } = await import('./run.js');
  return runScheduler(line.values, configuration);
}
