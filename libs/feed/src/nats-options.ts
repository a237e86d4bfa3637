import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { OptionValues } from '@orch/runtime';
import type { NatsConnectionOptions, NatsIdentity } from './nats-connection.js';

/** Options of the NATS server that carries changes between processes. */
export const natsOptions = {
  'nats-url': {
    type: 'list',
    default: [],
    help: 'NATS servers that carry changes between processes: nats://host:port, or tls://host:port to require TLS.',
  },
  'nats-subject-prefix': { type: 'string', default: 'orch', help: 'First token of the subjects on NATS.' },
  'nats-credentials-file': {
    type: 'string',
    help: 'Credentials for NATS (a JWT and the seed of its key). This file and all other files for NATS are read again for every connection.',
  },
  'nats-user': { type: 'string', help: 'User name for NATS, used with --nats-password-file.' },
  'nats-password-file': { type: 'string', help: 'File with the password of --nats-user.' },
  'nats-token-file': { type: 'string', help: 'File with a token for NATS.' },
  'nats-ca-file': {
    type: 'string',
    help: "Certificate authorities for the certificate of NATS. If it is given, servers without TLS are refused. Default: the system's.",
  },
  'nats-cert-file': { type: 'string', help: 'Client certificate for NATS, used with --nats-key-file.' },
  'nats-key-file': { type: 'string', help: 'Private key of --nats-cert-file.' },
  'nats-omit-bodies': {
    type: 'list',
    default: ['secrets'],
    help: 'Types, as resource or group/resource, whose objects are not sent over NATS. Only the change is announced, and the object is read from PostgreSQL.',
  },
  'nats-key-rotation': {
    type: 'duration',
    default: 86_400_000,
    min: 0,
    help: 'Interval at which the key that signs announcements is replaced. 0 disables rotation.',
  },
} as const;

/** Values of {@link natsOptions}. */
export type NatsOptions = OptionValues<typeof natsOptions>;

/**
 * How to reach NATS.
 * @throws RangeError for options that do not go together, or a file that cannot be read; it never holds a secret
 */
export function natsSettings(options: NatsOptions): NatsConnectionOptions {
  const { natsUrl: servers } = options;
  for (const url of servers) checkUrl(url);
  const identity = identityOf(options);
  const tls = tlsOf(options);
  if (tls && servers.some((url) => isIP(hostOf(url)) !== 0))
    throw new RangeError('--nats-url: TLS needs host names, not addresses, so that certificates can be verified');
  const files = [
    ...Object.values(identity ?? {}).filter((file) => file !== options.natsUser),
    ...Object.values(tls ?? {}),
  ];
  if (servers.length === 0 && (identity !== undefined || files.length > 0))
    throw new RangeError('--nats-url: it is not given, but other options for NATS are');
  for (const file of files) checkReadable(file);
  return { servers, ...(identity && { identity }), ...(tls && { tls }) };
}

/** A URL is seen by whoever lists processes; the port of one without a scheme is all that an IPv6 address leaves. */
function checkUrl(url: string): void {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'nats' && scheme !== 'tls')
    throw new RangeError(`--nats-url: the scheme is nats or tls, not ${scheme}`);
  if (url.includes('@'))
    throw new RangeError('--nats-url: it must not contain credentials: use --nats-user and --nats-password-file');
}

/** Returns the host of `tls://host:port`, `host:port` or `[::1]:port`. */
const hostOf = (url: string): string => url.replace(/^[a-z]+:\/\//i, '').replace(/^\[(.*)\].*$|:\d*$/, '$1');

function identityOf(options: NatsOptions): NatsIdentity | undefined {
  const { natsCredentialsFile, natsUser, natsPasswordFile, natsTokenFile } = options;
  if ((natsUser === undefined) !== (natsPasswordFile === undefined))
    throw new RangeError('--nats-user and --nats-password-file must be given together');
  const identities: NatsIdentity[] = [];
  if (natsCredentialsFile !== undefined) identities.push({ credentialsFile: natsCredentialsFile });
  if (natsUser !== undefined && natsPasswordFile !== undefined)
    identities.push({ user: natsUser, passwordFile: natsPasswordFile });
  if (natsTokenFile !== undefined) identities.push({ tokenFile: natsTokenFile });
  if (identities.length > 1)
    throw new RangeError('--nats-credentials-file, --nats-user and --nats-token-file: only one of them may be given');
  return identities[0];
}

function tlsOf(options: NatsOptions): NatsConnectionOptions['tls'] {
  const { natsUrl, natsCaFile: caFile, natsCertFile: certFile, natsKeyFile: keyFile } = options;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new RangeError('--nats-cert-file and --nats-key-file must be given together');
  const wanted = [caFile, certFile].some((file) => file !== undefined) || natsUrl.some((url) => /^tls:/i.test(url));
  if (!wanted) return undefined;
  return {
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile }),
  };
}

function checkReadable(file: string): void {
  try {
    readFileSync(file);
  } catch (error) {
    throw new RangeError(`a file for NATS cannot be read: ${(error as Error).message}`);
  }
}
