import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import type { Connection } from './connection.js';
import type { ClientCertificate } from './credentials/certificate.js';
import { hostOf, parseProxyUrl, portOf, proxyFromEnvironment } from './proxy/choose-proxy.js';
import { openTunnel } from './proxy/tunnel.js';

/** Where something listens. */
export interface Address {
  /** Name or IP address. */
  readonly host: string;
  /** TCP port, 1 to 65535. */
  readonly port: number;
}

type Connect = buildConnector.connector;

/** Whether a connection may go to an IP address. */
export type AllowsAddress = (address: string) => boolean;

/** How long a proxy may take, ms; undici gives a server itself as long. */
const PROXY_TIMEOUT_MS = 10_000;

/**
 * Opens connections to a server that are shown `certificate`: through its proxy, to where `addressOf` says, or to the server's own host
 * and port. @throws Error for a proxy's URL that is none
 */
export function connectorFor(
  connection: Connection,
  certificate: ClientCertificate | undefined,
  addressOf: (() => Promise<Address>) | undefined,
  allows?: AllowsAddress,
): Connect {
  const connect = directConnector(connection, certificate, allows);
  const server = new URL(connection.server);
  if (connection.proxyUrl) return tunnelled(connect, server, parseProxyUrl(connection.proxyUrl), connection);
  if (addressOf) return redirected(connect, connection.tlsServerName, addressOf);
  const proxy = proxyFromEnvironment(server, process.env);
  return proxy ? tunnelled(connect, server, proxy, connection) : connect;
}

function directConnector(
  connection: Connection,
  certificate: ClientCertificate | undefined,
  allows: AllowsAddress | undefined,
): Connect {
  const { ca, tlsServerName, insecureSkipTlsVerify } = connection;
  const connect = buildConnector({
    allowH2: false,
    ...(ca !== undefined && { ca }),
    ...certificate,
    ...(tlsServerName !== undefined && { servername: tlsServerName }),
    rejectUnauthorized: !insecureSkipTlsVerify,
    ...(allows && { lookup: lookupOf(allows) }),
  });
  if (!allows) return connect;
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0 && !allows(host)) callback(notAllowed(host), null);
    else connect(options, callback);
  };
}

const notAllowed = (address: string): Error => new Error(`connections to ${address} are not allowed`);

/** Finds the addresses of names, and fails where one of them is not allowed: which of them is taken is nobody's choice. */
const lookupOf =
  (allows: AllowsAddress): LookupFunction =>
  (name, options, callback) =>
    lookUp(name, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const refused = found.find(({ address }) => !allows(address));
      if (refused) return callback(notAllowed(refused.address), []);
      const [first] = found;
      if (options.all || !first) callback(null, found);
      else callback(null, first.address, first.family);
    });

function redirected(connect: Connect, tlsServerName: string | undefined, addressOf: () => Promise<Address>): Connect {
  return (options, callback) => {
    const open = ({ host, port }: Address) => {
      const servername = options.servername ?? tlsServerName ?? options.hostname;
      connect({ ...options, hostname: host, port: String(port), servername }, callback);
    };
    addressOf()
      .then(open)
      .catch((error: unknown) => callback(asError(error), null));
  };
}

/** As client-go's: an `https` proxy is believed by the same authorities as the server. */
function tunnelled(connect: Connect, server: URL, proxy: URL, { ca, insecureSkipTlsVerify }: Connection): Connect {
  const settings = { ...(ca && { ca }), rejectUnauthorized: !insecureSkipTlsVerify, timeoutMs: PROXY_TIMEOUT_MS };
  return (options, callback) => {
    const open = (socket: Socket) => {
      if (server.protocol === 'https:') connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    };
    openTunnel(proxy, hostOf(server), portOf(server), settings)
      .then(open)
      .catch((error: unknown) => callback(asError(error), null));
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
