import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Names, namesOf } from '@orch/machinery';
import type { EnvironmentVariables } from '@orch/runtime';
import type { Connection } from '../connection.js';

/** Sources of a pod's configuration. */
export interface InClusterOptions {
  /** The server's naming profile. Default: the names of `orch`. */
  readonly names?: Names;
  /** Default: the environment of this process. */
  readonly env?: EnvironmentVariables;
  /** Folder of the service account's files. Default: `/var/run/secrets/orch.io/serviceaccount`. */
  readonly dir?: string;
}

/**
 * The connection of a pod to its API server, as its service account; undefined outside of pods, where
 * `ORCH_SERVICE_HOST`, `ORCH_SERVICE_PORT` or the token is missing.
 */
export async function inClusterConnection(options: InClusterOptions = {}): Promise<Connection | undefined> {
  const { names = namesOf('orch'), env = process.env } = options;
  const { dir = join('/var/run/secrets', names.key('orch.io/serviceaccount')) } = options;
  const service = names.apiServiceName.toUpperCase();
  const [host, port] = [env[`${service}_SERVICE_HOST`], env[`${service}_SERVICE_PORT`]];
  const [token, ca, namespace] = await Promise.all(
    ['token', 'ca.crt', 'namespace'].map((name) => text(join(dir, name))),
  );
  if (!host || !port || token === undefined) return undefined;
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tokenFile: join(dir, 'token'),
    ...(ca && { ca }),
    ...(namespace?.trim() && { namespace: namespace.trim() }),
  };
}

const text = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined);
