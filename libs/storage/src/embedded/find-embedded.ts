import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { serverUrl } from './launch.js';
import { readPostmaster } from './postmaster.js';

/**
 * Where the PostgreSQL is that another process has started on a directory, for {@link StoreOptions.url}; holds the password. Only who may read
 * the directory can find it.
 * @param port the TCP port that it was told to listen at, if any
 * @throws Error when none runs there
 */
export async function findEmbeddedPostgres(dataDir: string, port?: number): Promise<string> {
  const root = await realpath(dataDir).catch(() => dataDir);
  if ((await readPostmaster(join(root, 'data'))) === undefined) throw new Error(`no PostgreSQL runs on ${root}`);
  return serverUrl(root, port);
}
