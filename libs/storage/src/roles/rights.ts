/** The database roles of an installation. */
export interface RoleNames {
  /** Owns the schemas and migrates them; no server needs it. */
  readonly migrator: string;
  /** Reads and writes what api-servers do. */
  readonly apiServer: string;
  /** Reads what gateways do. */
  readonly gateway: string;
}

/** Privileges on a table, view or sequence, as GRANT names them; none where absent. */
interface RelationRights {
  readonly apiServer?: string;
  readonly gateway?: string;
}

/** Who may call a function. */
interface FunctionRights {
  readonly apiServer?: boolean;
  readonly gateway?: boolean;
  /** Runs as the owner of the schema (SECURITY DEFINER): what it does needs more than who calls it has. */
  readonly asOwner?: boolean;
}

/** Who may do what in one schema. What is not named in it nobody may use but its owner. */
export interface SchemaRights {
  /** By the name of the table, view or sequence; its partitions go with a table. */
  readonly relations: Readonly<Record<string, RelationRights>>;
  /** By name, whatever the parameters. */
  readonly functions: Readonly<Record<string, FunctionRights>>;
}

const READ = 'SELECT';
const ALL = 'SELECT, INSERT, UPDATE, DELETE';

/**
 * Rights in the schema of the state.
 *
 * Api-servers do not own the tables, as an owner may drop and change them, and what runs in a migration as their owner could be
 * laid before it. So the two functions that make and drop partitions of the history run as the owner; they build no name from a text
 * that is given to them.
 *
 * Gateways only read, but for the table in which each server says how far it has come with the definitions of custom kinds: a
 * definition is established once all have said so, and those are who watches of it are opened at.
 */
export const STORE_RIGHTS: SchemaRights = {
  relations: {
    schema_migration: { apiServer: READ, gateway: READ },
    installation: { apiServer: 'SELECT, UPDATE (epoch, resumed, system_identifier, timeline)', gateway: READ },
    resource_version: { apiServer: 'USAGE, SELECT, UPDATE', gateway: READ },
    resource_type: { apiServer: 'SELECT, INSERT', gateway: READ },
    lane: { apiServer: 'SELECT, INSERT' },
    head: { apiServer: 'SELECT, INSERT, DELETE' },
    head_trimmed: { apiServer: 'SELECT, INSERT, UPDATE' },
    history_floor: { apiServer: 'SELECT, INSERT, UPDATE', gateway: READ },
    history_partition: { apiServer: 'SELECT, UPDATE (opened_at, sealed_at)', gateway: READ },
    object: { apiServer: ALL, gateway: READ },
    change: { apiServer: 'SELECT, INSERT', gateway: READ },
    branch: { apiServer: 'SELECT, INSERT, DELETE', gateway: READ },
    heartbeat: { apiServer: 'SELECT, UPDATE', gateway: READ },
    announcement_key: { apiServer: 'SELECT, INSERT, DELETE', gateway: READ },
    maintenance_lease: { apiServer: 'SELECT, INSERT, UPDATE' },
    version_mark: { apiServer: 'SELECT, INSERT, DELETE' },
    expiring: { apiServer: 'SELECT, INSERT, DELETE' },
    expiry_progress: { apiServer: 'SELECT, INSERT, UPDATE' },
    server: { apiServer: ALL, gateway: ALL },
    account: { apiServer: ALL },
    tally: { apiServer: 'SELECT, INSERT, DELETE' },
    uncharged: { apiServer: 'SELECT, INSERT, DELETE' },
    uncharged_number_seq: {},
  },
  functions: {
    create_history_partition: { apiServer: true, asOwner: true },
    drop_history_partition: { apiServer: true, asOwner: true },
    advance_versions: { apiServer: true },
    await_lane: { apiServer: true, gateway: true },
    beat: { apiServer: true },
    begin_anew: { apiServer: true },
    begin_epoch: { apiServer: true },
    amount_text: { apiServer: true },
    commit_charged: { apiServer: true },
    commit_units: { apiServer: true },
    commit_writes: { apiServer: true },
    leap: { apiServer: true },
    lock_lanes: { apiServer: true },
    renew_announcement_keys: { apiServer: true },
    resume_history: { apiServer: true },
    take_lane: { apiServer: true },
    trim_heads: { apiServer: true },
    write_tallies: { apiServer: true },
  },
};
