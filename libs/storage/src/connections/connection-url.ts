import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { trustOptions } from '@orch/tls';

/** A server that may hold the database; a `host` that begins with `/` is the directory of a unix socket. */
export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

/** A parsed connection URL. */
export interface DatabaseAddress {
  /** Tried in this order until one accepts writes. */
  readonly hosts: readonly DatabaseHost[];
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  /** TLS settings, or undefined for plain connections. */
  readonly tls: ConnectionOptions | undefined;
}

const URL_PATTERN = /^postgres(?:ql)?:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
const IGNORED_PARAMETERS = new Set(['target_session_attrs', 'application_name', 'connect_timeout', 'gssencmode']);

/**
 * Reads a connection URI of PostgreSQL (libpq, "Connection URIs"), with several hosts:
 * `postgres://user:password@a:5432,b:5433/database?sslmode=verify-full&sslrootcert=/ca.pem`; a unix socket as `?host=/directory`
 * or as a percent-encoded host. `target_session_attrs` is accepted and always read-write.
 * @throws TypeError with the reason; the message never holds the password
 */
export function parseDatabaseUrl(url: string): DatabaseAddress {
  const match = URL_PATTERN.exec(url);
  if (!match) throw new TypeError('not a PostgreSQL URL (postgres://user:password@host:port/database)');
  const [, user = '', password, hostList = '', database = '', query = ''] = match;
  const parameters = new URLSearchParams(query);
  const hostNames = parameters.get('host') ?? hostList;
  const decodedUser = parameters.get('user') ?? decodeURIComponent(user);
  const known = new Set(['host', 'port', 'user', 'password', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey']);
  for (const name of parameters.keys()) {
    if (!known.has(name) && !IGNORED_PARAMETERS.has(name))
      throw new TypeError(`unknown parameter in the PostgreSQL URL: ${name}`);
  }
  const givenPassword =
    parameters.get('password') ?? (password === undefined ? undefined : decodeURIComponent(password));
  return {
    hosts: parseHosts(hostNames, parameters.get('port') ?? ''),
    database: decodeURIComponent(database) || decodedUser || 'postgres',
    user: decodedUser || 'postgres',
    password: givenPassword,
    tls: tlsOptions(parameters),
  };
}

/** The files with certificates that a connection URL names, its authorities first; none for a plain connection. */
export function certificateFilesIn(url: string): string[] {
  const parameters = new URLSearchParams(URL_PATTERN.exec(url)?.[5]);
  if ((parameters.get('sslmode') ?? 'disable') === 'disable') return [];
  return ['sslrootcert', 'sslcert'].map((name) => parameters.get(name)).filter((file) => file !== null);
}

function parseHosts(list: string, ports: string): DatabaseHost[] {
  const portList = ports.split(',');
  return (list || 'localhost').split(',').map((entry, index) => {
    const parts = /^(\[[^\]]+\]|[^:]*)(?::(\d+))?$/.exec(entry);
    if (!parts) throw new TypeError(`cannot read the host ${JSON.stringify(entry)} in the PostgreSQL URL`);
    const host = decodeURIComponent(parts[1] ?? '').replace(/^\[|\]$/g, '') || 'localhost';
    const port = Number(parts[2] ?? (portList[index] || portList[0] || '5432'));
    if (!Number.isInteger(port) || port < 1 || port > 65535)
      throw new TypeError(`port out of range in the PostgreSQL URL`);
    return { host, port };
  });
}

function tlsOptions(parameters: URLSearchParams): ConnectionOptions | undefined {
  const mode = parameters.get('sslmode') ?? 'disable';
  const file = (name: string) => {
    const path = parameters.get(name);
    return path === null ? undefined : readFileSync(path);
  };
  const ca = file('sslrootcert');
  const files = { ...trustOptions(ca), cert: file('sslcert'), key: file('sslkey') };
  switch (mode) {
    case 'disable':
      return undefined;
    case 'require':
      // As libpq does: a root certificate turns `require` into `verify-ca`.
      return { ...files, rejectUnauthorized: ca !== undefined, checkServerIdentity: () => undefined };
    case 'verify-ca':
      return { ...files, rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case 'verify-full':
      return { ...files, rejectUnauthorized: true };
    default:
      throw new TypeError(`sslmode ${mode} is not supported: disable, require, verify-ca or verify-full`);
  }
}
