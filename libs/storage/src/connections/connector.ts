import { type ConnectionSettings, DatabaseConnection } from './connection.js';
import { ConnectionLostError, sqlState } from './failures.js';

/** A check that runs on every new connection before anything else; it throws to refuse the connection. */
type Inspection = (connection: DatabaseConnection) => Promise<void>;

/**
 * Opens connections to whichever host accepts writes (`target_session_attrs=read-write` of libpq), the last good host first.
 */
export class Connector {
  #preferred = 0;

  constructor(
    private readonly settings: ConnectionSettings,
    private readonly inspect: Inspection,
    private readonly writable = true,
  ) {}

  /** Opens connections to the first host that answers, read-only or not. */
  static toReplica(settings: ConnectionSettings, inspect: Inspection): Connector {
    return new Connector(settings, inspect, false);
  }

  /** Connects to the first host that accepts. @throws the last host's error when none can be reached */
  async connect(): Promise<DatabaseConnection> {
    const { hosts } = this.settings.address;
    let failure: unknown = new ConnectionLostError('no host in the database URL');
    for (let i = 0; i < hosts.length; i++) {
      const index = (this.#preferred + i) % hosts.length;
      const host = hosts[index];
      if (!host) continue;
      let connection: DatabaseConnection | undefined;
      try {
        connection = await DatabaseConnection.open(host, this.settings);
        if (this.writable) await requireWritable(connection);
        await this.inspect(connection);
        this.#preferred = index;
        return connection;
      } catch (error) {
        connection?.destroy();
        failure = error;
      }
    }
    throw failure;
  }
}

async function requireWritable(connection: DatabaseConnection): Promise<void> {
  const [row] = await connection.query(`SELECT pg_is_in_recovery()::text, current_setting('transaction_read_only')`);
  if (row?.[0] !== 'false' || row[1] !== 'off') throw new ConnectionLostError('the host is a read-only standby');
}

/** Whether retrying is useless: wrong password, no such database or role, no right to connect. */
export function isPermanent(error: unknown): boolean {
  return /^(28|3D000|42501)/.test(sqlState(error) ?? '');
}
