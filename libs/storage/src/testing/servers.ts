import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { parseDatabaseUrl } from '../connections/connection-url.js';
import type { EmbeddedPostgres } from '../embedded/embedded-options.js';
import { startEmbeddedPostgres } from '../embedded/index.js';

/** Where Debian's postgresql-15 keeps its programs: the oldest release that is supported. */
export const SYSTEM_BINARIES = '/usr/lib/postgresql/15/bin';

export const hasSystemPostgres = existsSync(join(SYSTEM_BINARIES, 'initdb'));

export interface TestServer {
  readonly url: string;
  readonly dataDir: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Name of a schema that no test has used. */
  freshSchema(): string;
  /** A plain session as superuser, for looking and meddling; closed with the server. */
  session(schema: string): Promise<pg.Client>;
  dispose(): Promise<void>;
}

/** Folder that the global set-up of tests has made for the data of servers, in memory where that has room. */
const { TEST_RUN_FOLDER: runFolder } = process.env;

/** Data of an initialised server: made once a process, as to initialise costs more than to copy. */
let initialised: Promise<string> | undefined;

async function initialise(folder: string): Promise<string> {
  const dataDir = await mkdtemp(join(folder, 'pg-template-'));
  await (await startEmbeddedPostgres({ dataDir })).stop();
  return dataDir;
}

/** A server in a temporary directory: the embedded release, or that of `binDir`. */
export async function startTestServer(binDir?: string): Promise<TestServer> {
  const dataDir = await mkdtemp(join(runFolder ?? tmpdir(), 'pg-test-'));
  if (runFolder !== undefined && binDir === undefined) {
    initialised ??= initialise(runFolder);
    await promisify(execFile)('cp', ['-a', '--reflink=auto', `${await initialised}/.`, dataDir]);
  }
  const launch = () => startEmbeddedPostgres({ dataDir, ...(binDir ? { binDir } : {}) });
  let server: EmbeddedPostgres = await launch();
  const clients: pg.Client[] = [];
  let schemas = 0;
  return {
    url: server.url,
    dataDir,
    async start() {
      server = await launch();
    },
    stop: () => server.stop(),
    freshSchema: () => `s${++schemas}`,
    async session(schema) {
      const { hosts, user, password, database } = parseDatabaseUrl(server.url);
      const client = new pg.Client({ ...hosts[0], user, password, database, options: `-c search_path=${schema}` });
      client.on('error', () => undefined);
      await client.connect();
      clients.push(client);
      return client;
    },
    async dispose() {
      await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
