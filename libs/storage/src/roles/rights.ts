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

/** Rights to call a function. */
interface FunctionRights {
  readonly apiServer?: boolean;
  readonly gateway?: boolean;
  /** Runs as the owner of the schema (SECURITY DEFINER): it needs rights that its caller lacks. */
  readonly asOwner?: boolean;
}

/** Rights in one schema. Whatever is not named in it only its owner may use. */
export interface SchemaRights {
  /** Rights by the name of the table, view or sequence; they cover a table's partitions. */
  readonly relations: Readonly<Record<string, RelationRights>>;
  /** Rights by the function's name, whatever its parameters. */
  readonly functions: Readonly<Record<string, FunctionRights>>;
}

const READ = 'SELECT';
const ALL = 'SELECT, INSERT, UPDATE, DELETE';

/**
 * Rights in the schema of the state.
 *
 * Api-servers do not own the tables, as an owner may drop and alter them, and could plant code that a migration runs as
 * their owner. So the two functions that make and drop partitions of the history run as the owner; they build no name
 * from a text argument.
 *
 * Gateways only read, except for the table in which each server publishes its progress with the definitions of custom
 * kinds: a definition is established once all servers have applied it, and gateways are the servers where its watches
 * are opened.
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
