import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Connection } from '../connection.js';

/** A kubeconfig that cannot be used; the message names the file and the entry. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

type Entry = Readonly<Record<string, unknown>>;

/**
 * The connection of a context (default: the file's current one). Certificates and tokens may stand in the file or in
 * files beside it; relative paths are relative to the kubeconfig. Throws {@link KubeconfigError}, also for credential
 * plugins, which are not run.
 */
export async function readKubeconfig(file: string, contextName?: string): Promise<Connection> {
  const config = parseFile(await readText(file, file), file);
  const at = new Reader(file);
  const chosen = contextName ?? at.text(config, 'current-context');
  if (!chosen) throw new KubeconfigError(`${file}: no context is chosen`);
  const context = at.named(config, 'contexts', 'context', chosen);
  const cluster = at.named(config, 'clusters', 'cluster', at.text(context, 'cluster') ?? '');
  const userName = at.text(context, 'user');
  const user = userName ? at.named(config, 'users', 'user', userName) : {};
  if (user.exec !== undefined || user['auth-provider'] !== undefined) {
    throw new KubeconfigError(
      `${file}: user ${JSON.stringify(userName)} uses a credential plugin, which is not supported`,
    );
  }
  const server = at.text(cluster, 'server');
  if (!server || !URL.canParse(server)) throw new KubeconfigError(`${file}: the cluster has no usable server URL`);
  const namespace = at.text(context, 'namespace');
  const tlsServerName = at.text(cluster, 'tls-server-name');
  const ca = await at.pem(cluster, 'certificate-authority');
  const cert = await at.pem(user, 'client-certificate');
  const key = await at.pem(user, 'client-key');
  const token = at.text(user, 'token') ?? (await at.file(user, 'tokenFile'))?.trim();
  const username = at.text(user, 'username');
  return {
    server,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(token && { token }),
    ...(username && { basic: { username, password: at.text(user, 'password') ?? '' } }),
    ...(tlsServerName && { tlsServerName }),
    ...(cluster['insecure-skip-tls-verify'] === true && { insecureSkipTlsVerify: true }),
    ...(namespace && { namespace }),
  };
}

function parseFile(text: string, file: string): Entry {
  let config: unknown;
  try {
    config = parse(text);
  } catch (cause) {
    throw new KubeconfigError(`${file}: not YAML`, { cause });
  }
  if (!isEntry(config)) throw new KubeconfigError(`${file}: not a kubeconfig`);
  return config;
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

async function readText(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new KubeconfigError(`${file}: ${cause instanceof Error ? cause.message : 'cannot be read'}`, { cause });
  }
}

/** Reads members of entries of one kubeconfig. */
class Reader {
  constructor(readonly path: string) {}

  text(entry: Entry, member: string): string | undefined {
    const value = entry[member];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value !== 'string') throw new KubeconfigError(`${this.path}: ${member} is not a string`);
    return value;
  }

  /** The `content` of the entry of this name in a list such as `clusters`. */
  named(config: Entry, list: string, content: string, name: string): Entry {
    const entries = config[list];
    const found = Array.isArray(entries) ? entries.find((entry) => isEntry(entry) && entry.name === name) : undefined;
    const value: unknown = found?.[content];
    if (!isEntry(value)) throw new KubeconfigError(`${this.path}: ${list} has no entry named ${JSON.stringify(name)}`);
    return value;
  }

  /** `member-data` (base64) if it is there, else the file that `member` names. */
  async pem(entry: Entry, member: string): Promise<string | undefined> {
    const data = this.text(entry, `${member}-data`);
    return data === undefined ? this.file(entry, member) : Buffer.from(data, 'base64').toString();
  }

  async file(entry: Entry, member: string): Promise<string | undefined> {
    const path = this.text(entry, member);
    return path === undefined ? undefined : readText(resolve(dirname(this.path), path), this.path);
  }
}
