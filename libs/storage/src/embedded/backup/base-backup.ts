import pg from 'pg';
import { parseDatabaseUrl } from '../../connections/connection-url.js';
import { CopyMessages } from './copy-messages.js';

/** A copy of a whole cluster, sent by the running server. Both parts must be read to their ends, in this order. */
export interface BaseBackup {
  /** Bytes of the archive, as the server estimates them; known once the archive has begun. */
  readonly estimate: number;
  /** The folder of data as a tar file, with the write-ahead log that brings it to one moment. */
  archive(): AsyncGenerator<Buffer, void, undefined>;
  /** JSON: every file of the folder except the log, with its checksum. */
  manifest(): Promise<Buffer>;
  /** Ends the session; the server discards an incomplete backup. */
  close(): Promise<void>;
}

/** Keeps the log from being removed before it was sent, however long the rest takes; dropped with the session. */
const keepLog = (name: string): string => `CREATE_REPLICATION_SLOT ${name} TEMPORARY PHYSICAL (RESERVE_WAL)`;

const BEGIN = `BASE_BACKUP (LABEL 'orchctl backup', PROGRESS true, CHECKPOINT 'fast', WAL true, WAIT false,
  MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`;

/** First bytes of the messages of a base backup (PostgreSQL, "Streaming Replication Protocol"). */
const MESSAGE = { archive: 0x6e, manifest: 0x6d, data: 0x64 } as const;

/**
 * Asks a server for a copy of its cluster, by the replication protocol.
 * @param signal cuts the connection, whatever the server does
 * @throws the driver's error
 */
export async function openBaseBackup(url: string, signal?: AbortSignal): Promise<BaseBackup> {
  signal?.throwIfAborted();
  const { hosts, user, password } = parseDatabaseUrl(url);
  const client = new pg.Client({ ...hosts[0], user, password, ...REPLICATION });
  // A broken session ends the reads from it.
  client.on('error', () => undefined);
  const cut = () => void client.end();
  signal?.addEventListener('abort', cut, { once: true });
  client.once('end', () => signal?.removeEventListener('abort', cut));
  await client.connect();
  try {
    await client.query(keepLog(`orch_backup_${process.pid}`));
    const sent = client.query(new CopyMessages(BEGIN));
    return new RunningBackup(client, sent);
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** The driver knows it, its types do not. */
const REPLICATION = { replication: 'true' } as const;

class RunningBackup implements BaseBackup {
  readonly #messages: AsyncIterator<Buffer, void>;

  constructor(
    private readonly client: pg.Client,
    private readonly sent: CopyMessages,
  ) {
    this.#messages = sent[Symbol.asyncIterator]();
  }

  get estimate(): number {
    // The second answer lists the folders to copy: this one, the last, is the data directory, with its size in KiB.
    return Number(this.sent.rows[1]?.[2] ?? 0) * 1024;
  }

  async *archive(): AsyncGenerator<Buffer, void, undefined> {
    let archives = 0;
    for (let next = await this.#messages.next(); !next.done; next = await this.#messages.next()) {
      const [kind] = next.value;
      if (kind === MESSAGE.manifest) return;
      if (kind === MESSAGE.archive && ++archives > 1)
        throw new Error('the database has tablespaces of its own, which are not copied');
      if (kind === MESSAGE.data) yield next.value.subarray(1);
    }
    throw new Error('the copy ended before its list of files');
  }

  async manifest(): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let next = await this.#messages.next(); !next.done; next = await this.#messages.next()) {
      if (next.value[0] === MESSAGE.data) parts.push(next.value.subarray(1));
    }
    return Buffer.concat(parts);
  }

  close(): Promise<void> {
    // During a command the driver cuts the connection.
    return this.client.end();
  }
}
