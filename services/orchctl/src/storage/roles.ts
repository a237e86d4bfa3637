import { readFile } from 'node:fs/promises';
import { defineOptions, type OptionValues, readCommandLine } from '@orch/runtime';
import {
  databasesOf,
  type FurtherSchema,
  type RoledSchema,
  type RoleLogin,
  type RoleNames,
  type RolesSettings,
  rolesScript,
  runScript,
  scramVerifier,
  storeSchema,
} from '@orch/storage/roles';
import { type CommandIO, ownVariables } from '../command-io.js';
import { furtherSchemas, migratorRole, serverRoles, storageOptions, told } from './storage-options.js';

const passwordFile = (role: string) =>
  ({
    type: 'string',
    help: `File with the new password of --${role}-role. Default: the role keeps its password, and a new role cannot log in.`,
  }) as const;

const definitions = {
  ...storageOptions,
  ...migratorRole,
  'migrator-password-file': passwordFile('migrator'),
  'api-server-password-file': passwordFile('api-server'),
  'gateway-password-file': passwordFile('gateway'),
  'external-login': {
    type: 'bool',
    help: 'Let roles without a password file log in by other means: certificates, IAM, or a password that is set separately.',
  },
  'take-over': {
    type: 'bool',
    help: 'Change the owner of schemas and tables that belong to another role to --migrator-role.',
  },
  print: {
    type: 'bool',
    help: 'Print the SQL instead of running it. It contains no passwords.',
  },
} as const;

type Values = OptionValues<typeof definitions>;

const rolesOf = (values: Values): RoleNames => ({
  migrator: values.migratorRole ?? `${values.rolePrefix}_migrator`,
  ...serverRoles(values),
});

const namesakes = (values: Values): string[] =>
  new Set(Object.values(rolesOf(values))).size === 3
    ? []
    : ['--migrator-role, --api-server-role and --gateway-role: name three roles'];

function missing({ print, postgresUrl, ...values }: Values): string[] {
  const files = [values.migratorPasswordFile, values.apiServerPasswordFile, values.gatewayPasswordFile];
  if (!print)
    return postgresUrl === undefined ? ['--postgres-url (or ORCH_POSTGRES_URL) is required, unless --print'] : [];
  return files.some((file) => file !== undefined) ? ['--print: no password files beside it, as it prints none'] : [];
}

const options = defineOptions(definitions, (values) => [...namesakes(values), ...missing(values)]);

/**
 * `orchctl storage roles`: makes the database roles of an installation, with the least rights that each needs, or
 * brings them to what they should be. Resolves with the exit code.
 */
export async function roles(args: readonly string[], around: CommandIO = process): Promise<number> {
  const { stdout, stderr, env } = around;
  const usage = 'orchctl storage roles [options]';
  const line = readCommandLine(options, args, usage, { stdout, stderr, env: ownVariables(options, env) });
  if (!line.run) return line.exitCode;
  const { values } = line;
  const named = rolesOf(values);
  const elsewhere: string[] = [];
  try {
    const script = rolesScript(await settingsOf(values));
    if (values.print) {
      stdout.write(`BEGIN;\n${script}COMMIT;\n`);
      return 0;
    }
    const database = { url: values.postgresUrl ?? '' };
    await runScript(database, script);
    elsewhere.push(...(await databasesOf(database, named)));
  } catch (error) {
    stderr.write(told(error));
    return 1;
  }
  const { migrator, apiServer, gateway } = named;
  stdout.write(
    `roles ${migrator} (migrates), ${apiServer} (api-servers) and ${gateway} (gateways) are as they should be\n`,
  );
  if (elsewhere.length > 0) stderr.write(sharing(elsewhere));
  return 0;
}

const sharing = (databases: readonly string[]): string =>
  `Warning: these roles have rights in other databases of this PostgreSQL, too: ${databases.join(', ')}. ` +
  'Where they are those of another installation, its servers get into this one: give each a --role-prefix of its own\n';

async function settingsOf(values: Values): Promise<RolesSettings> {
  const { externalLogin: external } = values;
  const login = async (file: string | undefined): Promise<RoleLogin> =>
    file === undefined ? { external } : { external, verifier: await verifierOf(file) };
  return {
    roles: rolesOf(values),
    logins: {
      migrator: await login(values.migratorPasswordFile),
      apiServer: await login(values.apiServerPasswordFile),
      gateway: await login(values.gatewayPasswordFile),
    },
    schemas: [await storeSchema(), ...furtherSchemas(values).map(roled)],
    takesOver: values.takeOver,
  };
}

const roled = ({ name, rights, migrations }: FurtherSchema): RoledSchema => ({
  name,
  rights,
  newest: migrations.at(-1)?.number ?? 0,
});

/** @throws Error that names the file, and holds nothing of it */
async function verifierOf(file: string): Promise<string> {
  const password = (await readFile(file, 'utf8')).replace(/\r?\n$/, '');
  try {
    return await scramVerifier(password);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message}`);
  }
}
