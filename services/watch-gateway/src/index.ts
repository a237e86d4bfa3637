import { runTierService, servingProblems, tierOptions } from '@orch/apiserver';
import { defineOptions, type OptionDefinitions, readCommandLine } from '@orch/runtime';

const options = defineOptions(tierOptions, servingProblems);

/** Every option of this command, as the reference of options lists them. */
export const definitions: OptionDefinitions = options.definitions;

/** `orch watch-gateway`: serves watches, fed by NATS and healed from PostgreSQL. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const line = readCommandLine(options, args, 'orch watch-gateway [options]');
  if (!line.run) return line.exitCode;
  return runTierService(
    { name: 'watch-gateway', gatewayUrls: [], takesHandedWatches: true, housekeeping: false },
    line.values,
  );
}
