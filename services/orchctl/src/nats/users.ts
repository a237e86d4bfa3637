import { anyPlaces, type NatsPermissions, permissionsOf, placesOf } from '@orch/feed';
import { defineOptions, readCommandLine } from '@orch/runtime';
import { installationOf } from '@orch/storage/roles';
import { type CommandIO, ownVariables } from '../command-io.js';
import { told } from '../storage/storage-options.js';

/** @throws RangeError */
function checkToken(text: string): void {
  if (!/^[\w-]+$/.test(text)) throw new RangeError('may contain only letters, digits, _ and -');
}

const options = defineOptions({
  'nats-subject-prefix': {
    type: 'string',
    default: 'orch',
    check: checkToken,
    help: 'First token of the subjects on NATS, as in the option of the servers.',
  },
  'cluster-id': {
    type: 'string',
    check: checkToken,
    help: 'ID of the installation, for a NATS that several installations share. Default: the ID in the database of --postgres-url; without that option, any.',
  },
  'postgres-url': {
    type: 'string',
    help: 'Database that the ID is read from: postgres://user:password@host:port/database; use the environment variable ORCH_POSTGRES_URL.',
  },
  'api-server-user': {
    type: 'string',
    default: 'orch_api_server',
    check: checkToken,
    help: 'NATS user of api-servers.',
  },
  'gateway-user': { type: 'string', default: 'orch_gateway', check: checkToken, help: 'NATS user of gateways.' },
  format: {
    type: 'string',
    choices: ['config', 'nsc'],
    default: 'config',
    help: 'config prints a part of the configuration of nats-server, with passwords from its environment; nsc prints commands that create users of an account.',
  },
});

/**
 * `orchctl nats users`: what NATS is to let api-servers and gateways do, and no more. Resolves with the exit code.
 */
export async function users(args: readonly string[], around: CommandIO = process): Promise<number> {
  const { stdout, stderr, env } = around;
  const usage = 'orchctl nats users [options]';
  const line = readCommandLine(options, args, usage, { stdout, stderr, env: ownVariables(options, env) });
  if (!line.run) return line.exitCode;
  const { natsSubjectPrefix: prefix, clusterId, postgresUrl: url, apiServerUser, gatewayUser, format } = line.values;
  try {
    const id = clusterId ?? (url === undefined ? undefined : (await installationOf({ url })).clusterId);
    const places = id === undefined ? anyPlaces(prefix) : placesOf(prefix, id);
    const named = [
      [apiServerUser, permissionsOf('api-server', places)],
      [gatewayUser, permissionsOf('gateway', places)],
    ] as const;
    stdout.write(format === 'nsc' ? named.map(commandOf).join('') : configOf(named));
    return 0;
  } catch (error) {
    stderr.write(told(error));
    return 1;
  }
}

type Named = readonly [user: string, permissions: NatsPermissions];

const configOf = (named: readonly Named[]): string => `authorization {
  users: [
${named.map(userOf).join('\n')}
  ]
}
`;

const variableOf = (user: string): string => `${user.toUpperCase().replaceAll('-', '_')}_NATS_PASSWORD`;

const quoted = (subjects: readonly string[]): string => subjects.map((subject) => `"${subject}"`).join(', ');

const userOf = ([user, { publish, subscribe }]: Named): string => `    {
      user: "${user}"
      password: $${variableOf(user)}
      permissions: {
        publish: { allow: [${quoted(publish)}] }
        subscribe: { allow: [${quoted(subscribe)}] }
      }
    }`;

const commandOf = ([user, { publish, subscribe }]: Named): string =>
  `nsc add user --name ${user} --allow-pub '${publish.join(',')}' --allow-sub '${subscribe.join(',')}'\n`;
