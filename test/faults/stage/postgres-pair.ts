import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  findPrograms,
  freePorts,
  type ManagedProcess,
  postgresServer,
  postgresUrl,
  waitUntil,
} from '../../../tools/up/index.js';
import { FaultProxy } from '../proxy/fault-proxy.js';
import { sql } from './sql.js';

/** A primary PostgreSQL and a streaming standby of it, on loopback. */
export class PostgresPair {
  /** URL with both servers, for clients that select the one that accepts writes. */
  readonly url: string;

  private constructor(
    readonly primary: ManagedProcess,
    readonly standby: ManagedProcess,
    private readonly replication: FaultProxy,
    readonly primaryPort: number,
    readonly standbyPort: number,
  ) {
    this.url = `postgres://postgres@127.0.0.1:${primaryPort},127.0.0.1:${standbyPort}/postgres`;
  }

  /** @param synchronous whether commits wait for the standby */
  static async start(dir: string, synchronous: boolean): Promise<PostgresPair> {
    const [primaryPort = 0, standbyPort = 0] = await freePorts(2);
    const primary = postgresServer(placeIn(dir, 'primary', primaryPort));
    await primary.start();
    const place = placeIn(dir, 'standby', standbyPort);
    const replication = await FaultProxy.open(primaryPort);
    await copyTo(join(place.dir, 'postgres'), replication.port);
    const standby = postgresServer(place);
    await standby.start();
    const pair = new PostgresPair(primary, standby, replication, primaryPort, standbyPort);
    const streaming = async () => (await sql(pair.primaryUrl, 'SELECT FROM pg_stat_replication')).length === 1;
    await waitUntil('the standby streams', 60_000, streaming);
    if (synchronous) {
      await sql(pair.primaryUrl, `ALTER SYSTEM SET synchronous_standby_names = '*'`);
      await sql(pair.primaryUrl, 'SELECT pg_reload_conf()');
    }
    return pair;
  }

  get primaryUrl(): string {
    return postgresUrl(this.primaryPort);
  }

  get standbyUrl(): string {
    return postgresUrl(this.standbyPort);
  }

  /** Cuts replication: writes acknowledged from now on are lost with the primary. */
  cutReplication(): void {
    this.replication.set('toClient', { drop: true });
  }

  /** The primary dies for good, the standby takes over. */
  async failOver(): Promise<void> {
    await this.primary.kill('SIGKILL');
    await sql(this.standbyUrl, 'SELECT pg_promote(true, 30)');
  }

  async stop(): Promise<void> {
    await this.standby.stop();
    await this.primary.stop();
    await this.replication.close();
  }
}

function placeIn(dir: string, name: string, port: number) {
  const own = join(dir, name);
  mkdirSync(own, { recursive: true });
  chmodSync(own, 0o711);
  return { dir: own, port, detached: false };
}

/** A copy that follows the server at a port of loopback, which may be one of this process. */
async function copyTo(data: string, port: number): Promise<void> {
  const program = join(dirname(findPrograms().postgres), 'pg_basebackup');
  const args = [
    '-D',
    data,
    '-h',
    '127.0.0.1',
    '-p',
    String(port),
    '-U',
    'postgres',
    '-X',
    'stream',
    '-c',
    'fast',
    '-R',
  ];
  await promisify(execFile)(program, args);
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', 'postgres:', data]);
}
