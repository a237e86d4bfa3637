import { backendOptions, busOf, createControlPlane, runService, servingOptions, storeAt } from '@orch/apiserver';
import { defineOptions, readCommandLine } from '@orch/runtime';

const options = defineOptions({
  ...servingOptions,
  ...backendOptions,
  'postgres-url': { ...backendOptions['postgres-url'], required: true },
});

/** `orch watch-gateway`: serves watches, fed by NATS and healed from PostgreSQL. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const line = readCommandLine(options, args, 'orch watch-gateway [options]');
  if (!line.run) return line.exitCode;
  const { values } = line;
  return runService(
    createControlPlane({
      role: { gatewayUrls: [], housekeeping: false },
      serving: values,
      backend: values,
      openStore: () => storeAt(values.postgresUrl, values, values),
      openBus: (logger, clusterId) => busOf(values, logger, clusterId),
    }),
  );
}
