import { runTierService, servingProblems, tierOptions, warmUpOptions } from '@orch/apiserver';
import { defineOptions, type OptionDefinitions, readCommandLine } from '@orch/runtime';

const options = defineOptions(
  {
    ...tierOptions,
    ...warmUpOptions(5_000),
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
  const { gatewayUrl: gatewayUrls, warmUp: warmUpMs } = line.values;
  return runTierService({ name: 'api-server', gatewayUrls, housekeeping: true, warmUpMs }, line.values);
}
