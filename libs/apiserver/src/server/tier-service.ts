import type { OptionValues } from '@orch/runtime';
import { storeAt } from './backends.js';
import { busOf } from './change-bus.js';
import type { ProcessRole } from './control-plane-settings.js';
import { backendOptions, servingOptions } from './options.js';
import { runService } from './run-service.js';

/** Options of a process beside others of its kind, in front of a PostgreSQL that is not its own. */
export const tierOptions = {
  ...servingOptions,
  ...backendOptions,
  workers: {
    type: 'int',
    default: 1,
    min: 1,
    max: 256,
    help: 'Number of processes that share the ports. Each has memory of its own; one for each core is a good choice.',
  },
  'worker-timeout': {
    type: 'duration',
    default: 60_000,
    min: 0,
    help: 'A worker of --workers whose event loop has been blocked for this long is killed and replaced. 0 disables this.',
  },
  'postgres-url': { ...backendOptions['postgres-url'], required: true },
} as const;

/** Runs a process of such a tier, with `--workers`, to its end. Resolves with the exit code. */
export function runTierService(role: ProcessRole, values: OptionValues<typeof tierOptions>): Promise<number> {
  return runService(
    {
      role,
      serving: values,
      backend: values,
      openStore: (observer) =>
        storeAt(values.postgresUrl, values, values, { observer, mayOnlyRead: !role.housekeeping }),
      openBus: (settings) => busOf(values, settings),
    },
    values,
  );
}
