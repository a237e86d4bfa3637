import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { serverUrl } from './launch.js';
import { readPostmaster } from './postmaster.js';

/**
 * Finds the URL of a PostgreSQL that another process has started on a directory, for {@link StoreOptions.url}; it holds
 * the password. Works only for users who can read the directory.
 * @param port the TCP port that it was configured to listen on, if any
 * @throws Error when no server runs there
 */
export async function findEmbeddedPostgres(dataDir: string, port?: number): Promise<string> {
  const root = await realpath(dataDir).catch(() => dataDir);
  if ((await readPostmaster(join(root, 'data'))) === undefined) throw new Error(`no PostgreSQL runs on ${root}`);
  return serverUrl(root, port);
}
