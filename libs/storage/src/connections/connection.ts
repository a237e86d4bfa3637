import { Socket } from 'node:net';
import pg from 'pg';
import { type CopyLimits, CopyStream, type ReadTuple } from '../reads/copy-stream.js';
import type { TextRow } from '../reads/text-row.js';
import { WholeMessageWire } from '../reads/whole-messages.js';
import type { DatabaseAddress, DatabaseHost } from './connection-url.js';
import { breaksConnection, ConnectionLostError, NoAnswerError } from './failures.js';
import { PooledSettings } from './pooled-settings.js';
import { PooledStatement } from './pooled-statement.js';

/** A parameter; Buffers travel in binary, all else as text. */
export type SqlParameter = string | number | bigint | boolean | null | Buffer;

export interface ConnectionSettings {
  readonly address: DatabaseAddress;
  readonly schema: string;
  readonly applicationName: string;
  /** Owner of the server session: this connection alone, or a pooler that lends it between transactions. */
  readonly pooling: 'session' | 'transaction';
  /** Milliseconds to establish a connection. */
  readonly connectTimeout: number;
  /** Milliseconds after which the server ends a statement. */
  readonly statementTimeout: number;
  /** Milliseconds after which the server gives up waiting for one lock. */
  readonly lockTimeout: number;
  /** Milliseconds after which the server ends a session that leaves a transaction open. */
  readonly idleTransactionTimeout: number;
  /** Milliseconds after which a silent server counts as gone. */
  readonly answerTimeout: number;
}

const AS_TEXT = { getTypeParser: () => (value: string) => value };

/** How statements are planned. */
export const PLANNER_SETTINGS: readonly [name: string, value: string][] = [
  // All statements look up by key: planning again for the given values is wasted (a third of a lone write), and a fresh
  // database without statistics must not change the planner's mind.
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_seqscan', 'off'],
  // With statistics the planner would gather all row versions of a key, and sort them: an old snapshot may retain any
  // number.
  ['enable_bitmapscan', 'off'],
  ['jit', 'off'],
];

/** PostgreSQL settings for a session. */
function sessionSettings(settings: ConnectionSettings): [name: string, value: string][] {
  return [
    ['search_path', settings.schema],
    ['synchronous_commit', 'on'],
    // Each statement of a write sees what was committed before it, else a key could be created twice.
    ['default_transaction_isolation', 'read committed'],
    ...PLANNER_SETTINGS,
    ['statement_timeout', String(settings.statementTimeout)],
    ['lock_timeout', String(settings.lockTimeout)],
    ['idle_in_transaction_session_timeout', String(settings.idleTransactionTimeout)],
  ];
}

/** Rows answered by statements that end in a COPY. */
interface CopiedRows<T> {
  /** The rows of the SELECTs before it. */
  readonly heading: readonly TextRow[];
  readonly rows: readonly T[];
}

/** A session with the database. Statements run one at a time. */
export class DatabaseConnection {
  #broken: Error | undefined;
  readonly #listeners = new Set<() => void>();

  private constructor(
    private readonly client: pg.Client,
    private readonly socket: Socket,
    private readonly answerTimeout: number,
    /** Settings that are sent with every transaction when a transaction-mode pooler is used; absent otherwise. */
    private readonly pooled: PooledSettings | undefined,
  ) {
    client.on('error', (error) => this.#breakWith(error));
    client.on('end', () => this.#breakWith(new ConnectionLostError('the connection ended')));
  }

  /** @throws the driver's error, or ConnectionLostError */
  static async open(host: DatabaseHost, settings: ConnectionSettings): Promise<DatabaseConnection> {
    const socket = new Socket();
    const { address } = settings;
    const own = sessionSettings(settings);
    const pooled = settings.pooling === 'transaction' ? new PooledSettings(own) : undefined;
    const ssl = address.tls ?? false;
    const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 5000 };
    const wired = { connection: new WholeMessageWire({ stream: () => socket, ssl, ...keptAlive }) };
    const client = new pg.Client({
      ...wired,
      host: host.host,
      port: host.port,
      user: address.user,
      password: address.password,
      database: address.database,
      ssl,
      application_name: settings.applicationName,
      connectionTimeoutMillis: settings.connectTimeout,
      ...(pooled
        ? {}
        : { options: own.map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`).join(' ') }),
    });
    const connection = new DatabaseConnection(client, socket, settings.answerTimeout, pooled);
    try {
      await client.connect();
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return connection;
  }

  get broken(): boolean {
    return this.#broken !== undefined;
  }

  /** Calls back once when the connection breaks. */
  onBreak(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Runs a statement that is prepared once per connection under its name.
   * @throws ConnectionLostError, or the driver's DatabaseError
   */
  statement(name: string, text: string, values: readonly SqlParameter[], answerTimeout?: number): Promise<TextRow[]> {
    if (this.pooled) return this.query(text, values, answerTimeout);
    return this.#run({ name, text, values: values as unknown[] }, answerTimeout);
  }

  /** Runs statements that are not worth preparing; several, divided by semicolons, when there are no values. */
  query(text: string, values?: readonly SqlParameter[], answerTimeout?: number): Promise<TextRow[]> {
    if (!values) return this.#run({ text: this.#withSettings(text) }, answerTimeout);
    return this.#run({ text, values: values as unknown[] }, answerTimeout);
  }

  /** Runs statements that end in a COPY; the caller must read it to its end, or destroy the connection. */
  copy<T>(text: string, read: ReadTuple<T>, limits: CopyLimits): CopyStream<T> {
    if (this.#broken) throw this.#broken;
    return this.client.query(new CopyStream(this.#withSettings(text), read, limits));
  }

  /** Runs statements that end in a COPY of bounded size. @throws ConnectionLostError, or the driver's DatabaseError */
  copyAll<T>(text: string, read: ReadTuple<T>): Promise<CopiedRows<T>> {
    return this.#answered(async () => {
      const copy = this.copy(text, read, { rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY });
      const heading = await copy.heading();
      const rows: T[] = [];
      for (let page = await copy.next(); page; page = await copy.next()) rows.push(...page);
      return { heading, rows };
    });
  }

  #run(config: { name?: string; text: string; values?: unknown[] }, timeout?: number): Promise<TextRow[]> {
    return this.#answered(async () => {
      if (config.values && this.pooled && this.#betweenTransactions())
        return await this.client.query(new PooledStatement(config.text, config.values, this.pooled)).rows;
      const result = await this.client.query<(string | null)[]>({ ...config, rowMode: 'array', types: AS_TEXT });
      return (Array.isArray(result) ? result[result.length - 1] : result).rows;
    }, timeout);
  }

  /** Does something on the connection, which breaks when there is no answer in time. */
  async #answered<T>(work: () => Promise<T>, timeout = this.answerTimeout): Promise<T> {
    if (this.#broken) throw this.#broken;
    const timer = setTimeout(() => this.destroy(new NoAnswerError()), timeout);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) {
        const lost = new ConnectionLostError('the connection to the database was lost', { cause: error });
        this.destroy(lost);
        throw this.#broken ?? lost;
      }
      if (breaksConnection(error)) this.destroy(error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #betweenTransactions(): boolean {
    return this.client.getTransactionStatus() === 'I';
  }

  /** Prefixes a statement without parameters with the pooled settings, where they are needed. */
  #withSettings(text: string): string {
    return this.pooled && this.#betweenTransactions() ? this.pooled.before(text) : text;
  }

  /** Cuts the connection at once; what runs on it fails. */
  destroy(reason: Error = new ConnectionLostError('the connection was closed')): void {
    this.#breakWith(reason);
    this.socket.destroy();
  }

  async end(): Promise<void> {
    if (this.#broken) return;
    this.#broken = new ConnectionLostError('the connection was closed');
    const cut = setTimeout(() => this.socket.destroy(), 1000);
    await this.client.end().catch(() => undefined);
    clearTimeout(cut);
  }

  #breakWith(error: Error): void {
    if (this.#broken) return;
    this.#broken =
      error instanceof ConnectionLostError ? error : new ConnectionLostError(error.message, { cause: error });
    for (const listener of this.#listeners) listener();
    this.#listeners.clear();
  }
}
