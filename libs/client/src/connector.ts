import { lookup as lookUp } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { type PeerOptions, peerOptions } from '@orch/tls';
import type { buildConnector } from 'undici';
import connectorOf from 'undici/lib/core/connect.js';
import type { Connection } from './connection.js';
import type { ClientCertificate } from './credentials/certificate.js';
import { hostOf, parseProxyUrl, portOf, proxyFromEnvironment } from './proxy/choose-proxy.js';
import { openTunnel } from './proxy/tunnel.js';

/** Address of a listener. */
export interface Address {
  /** Name or IP address. */
  readonly host: string;
  /** TCP port, 1 to 65535. */
  readonly port: number;
}

type Connect = buildConnector.connector;

/** Whether a connection may go to an IP address. */
export type AllowsAddress = (address: string) => boolean;

/** Timeout of a proxy, ms; undici's for a server is as long. */
const PROXY_TIMEOUT_MS = 10_000;

/** Options for opening connections, beside the connection's own. */
interface ConnectorSettings {
  /** Client certificate for the server. Default: none. */
  readonly certificate?: ClientCertificate | undefined;
  /** Returns the address to connect to instead of the server's own host and port, unless a proxy is named. */
  readonly addressOf?: (() => Promise<Address>) | undefined;
  /** Addresses that connections may go to. Default: all. */
  readonly allows?: AllowsAddress | undefined;
  /**
   * Prepared TLS options: verification of the server, and the client certificate. Default: from the connection's bundle
   * and the certificate.
   */
  readonly peer?: PeerOptions | undefined;
}

/**
 * Opens connections to a server: through its proxy, to the address from `addressOf`, or to the server's own host and
 * port. All of them share one TLS context. @throws Error for an invalid proxy URL
 */
export function connectorFor(connection: Connection, settings: ConnectorSettings = {}): Connect {
  const { ca, proxyUrl, tlsServerName } = connection;
  const { certificate, addressOf, peer = peerOptions({ ca, ...certificate }) } = settings;
  const connect = directConnector(connection, peer, settings.allows);
  const server = new URL(connection.server);
  if (proxyUrl) return tunnelled(connect, server, parseProxyUrl(proxyUrl), connection);
  if (addressOf) return redirected(connect, tlsServerName, addressOf);
  const proxy = proxyFromEnvironment(server, process.env);
  return proxy ? tunnelled(connect, server, proxy, connection) : connect;
}

function directConnector(connection: Connection, peer: PeerOptions, allows: AllowsAddress | undefined): Connect {
  const { tlsServerName, insecureSkipTlsVerify } = connection;
  const open = () =>
    connectorOf({
      allowH2: false,
      ...(new URL(connection.server).protocol === 'https:' && { ...peer }),
      ...(tlsServerName !== undefined && { servername: tlsServerName }),
      rejectUnauthorized: !insecureSkipTlsVerify,
      ...(allows && { lookup: allowedLookup(allows) }),
    });
  let connect: Connect | undefined;
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    if (allows && isIP(host) !== 0 && !allows(host)) return callback(notAllowed(host), null);
    try {
      connect ??= open();
    } catch (error) {
      return callback(asError(error), null);
    }
    connect(options, callback);
  };
}

const notAllowed = (address: string): Error => new Error(`connections to ${address} are not allowed`);

/** Resolves names, and fails if one of their addresses is not allowed: which one is used cannot be controlled. */
export const allowedLookup =
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

/** Connects through a proxy, as client-go does: an `https` proxy is verified by the same authorities as the server. */
function tunnelled(connect: Connect, server: URL, proxy: URL, { ca, insecureSkipTlsVerify }: Connection): Connect {
  const settings = {
    peer: peerOptions({ ca }),
    rejectUnauthorized: !insecureSkipTlsVerify,
    timeoutMs: PROXY_TIMEOUT_MS,
  };
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
