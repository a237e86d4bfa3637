import { EVENT_MIGRATIONS, EVENT_RIGHTS, EVENT_SCHEMA } from '@orch/audit';
import type { OptionValues } from '@orch/runtime';
import type { FurtherSchema, RoleNames } from '@orch/storage/roles';

const ROLE = /^[A-Za-z_][\w.@-]{0,62}$/;

/** @throws RangeError */
function checkRole(name: string): void {
  if (!ROLE.test(name)) throw new RangeError('is not a valid role name: use letters, digits, _, -, . and @');
}

/** Options that `orchctl storage roles` and `orchctl storage migrate` share. */
export const storageOptions = {
  'postgres-url': {
    type: 'string',
    help: 'URL of PostgreSQL: postgres://user:password@host:port/database?sslmode=…; use the environment variable ORCH_POSTGRES_URL if it contains a password.',
  },
  'role-prefix': {
    type: 'string',
    default: 'orch',
    check: checkRole,
    help: 'Prefix of the names of roles that no other option names. Roles are shared by all databases of a PostgreSQL server: each installation in it needs roles of its own.',
  },
  'api-server-role': {
    type: 'string',
    check: checkRole,
    help: 'Role of api-servers, which read and write. Default: --role-prefix and _api_server.',
  },
  'gateway-role': {
    type: 'string',
    check: checkRole,
    help: 'Role of gateways, which read only. Default: --role-prefix and _gateway.',
  },
  'audit-postgres': {
    type: 'bool',
    help: 'Include the schema named audit, which servers with --audit-postgres write events to.',
  },
} as const;

/** The role that only `orchctl storage roles` needs to know. */
export const migratorRole = {
  'migrator-role': {
    type: 'string',
    check: checkRole,
    help: 'Role that owns the schemas, used only by orchctl storage migrate. Default: --role-prefix and _migrator.',
  },
} as const;

/** Returns the names of the roles of servers. */
export const serverRoles = (values: OptionValues<typeof storageOptions>): Omit<RoleNames, 'migrator'> => ({
  apiServer: values.apiServerRole ?? `${values.rolePrefix}_api_server`,
  gateway: values.gatewayRole ?? `${values.rolePrefix}_gateway`,
});

/** The schemas beside that of the state. */
export const furtherSchemas = ({ auditPostgres }: { readonly auditPostgres: boolean }): readonly FurtherSchema[] =>
  auditPostgres ? [{ name: EVENT_SCHEMA, migrations: EVENT_MIGRATIONS, rights: EVENT_RIGHTS }] : [];

/** Formats an error for people; messages of the database driver hold no password. */
export const told = (error: unknown): string => `Error: ${error instanceof Error ? error.message : String(error)}\n`;
