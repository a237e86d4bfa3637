import { runTierService, servingProblems, tierOptions } from '@orch/apiserver';
import { defineOptions, type OptionDefinitions, readCommandLine } from '@orch/runtime';

const options = defineOptions(
  {
    ...tierOptions,
    'gateway-url': {
      type: 'list',
      default: [],
      help: 'Watch gateways that watches are proxied to. Default: the api-server serves watches itself.',
    },
  },
  servingProblems,
);

/** Every option of this command, as the reference of options lists them. */
export const definitions: OptionDefinitions = options.definitions;

/** `orch api-server`: the stateless API in front of PostgreSQL. Resolves with the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const line = readCommandLine(options, args, 'orch api-server [options]');
  if (!line.run) return line.exitCode;
  const role = { name: 'api-server', gatewayUrls: line.values.gatewayUrl, housekeeping: true };
  return runTierService(role, line.values);
}
