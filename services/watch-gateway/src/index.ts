import {
  backendOptions,
  busOf,
  runService,
  servingOptions,
  servingProblems,
  storeAt,
  workerOptions,
} from '@orch/apiserver';
import { defineOptions, type OptionDefinitions, readCommandLine } from '@orch/runtime';

const options = defineOptions(
  {
    ...servingOptions,
    ...backendOptions,
    ...workerOptions,
    'postgres-url': { ...backendOptions['postgres-url'], required: true },
  },
  servingProblems,
);

/** Every option of this command, as the reference of options lists them. */
export const definitions: OptionDefinitions = options.definitions;

/** `orch watch-gateway`: serves watches, fed by NATS and healed from PostgreSQL. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const line = readCommandLine(options, args, 'orch watch-gateway [options]');
  if (!line.run) return line.exitCode;
  const { values } = line;
  return runService(
    {
      role: { name: 'watch-gateway', gatewayUrls: [], housekeeping: false },
      serving: values,
      backend: values,
      openStore: (observer) => storeAt(values.postgresUrl, values, values, observer),
      openBus: (settings) => busOf(values, settings),
    },
    values.workers,
  );
}
