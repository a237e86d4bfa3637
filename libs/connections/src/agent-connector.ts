import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { allowedLookup } from '@orch/client';
import { isRoutable, type NodeBackend } from '@orch/handlers';
import { badRequest, type StatusError } from '@orch/machinery';
import { isGone, type OutgoingConnections, type Pair, type RequestContext, type ServerAnswer } from '@orch/serving';
import { type PeerOptions, peerOptions } from '@orch/tls';
import { type AnswerHead, type Exchanging, exchange, requireClient } from './exchange.js';
import { AgentSession } from './http2/agent-session.js';
import { type AgentPlace, AgentSessions } from './http2/agent-sessions.js';
import { dial } from './http2/dial.js';
import { UnprocessedError } from './http2/stream-errors.js';

/** Certificate that agents are shown, and authorities that theirs are verified against. */
export interface AgentCredentials {
  /** Client certificate; undefined for none. */
  readonly client: Pair | undefined;
  /** Authorities of the certificates of agents, PEM; undefined where these are not verified. */
  readonly ca: string | undefined;
}

/** Settings of {@link AgentConnector}. */
interface ConnectorSettings {
  /** Returns the current credentials; new connections are made with them. */
  readonly credentials: () => AgentCredentials;
  /** Detects peers that have vanished. */
  readonly connections: Pick<OutgoingConnections, 'keep'>;
  /** Milliseconds for connecting. */
  readonly connectMs: number;
  /** Whether connections may go to an IP address. Default: to those that are no addresses of this machine or link. */
  readonly allows?: (address: string) => boolean;
}

/** A request to a backend. */
interface Sent extends Pick<Exchanging, 'body' | 'limitMs'> {
  readonly method: string;
  readonly headers: OutgoingHttpHeaders;
}

/** Bytes of the head of an answer of an agent, and of a pod, which anybody may have made. */
const [MAX_AGENT_HEAD, MAX_POD_HEAD] = [512 << 10, 64 << 10];

/** Options of connections to agents, by some credentials. */
interface Peer {
  readonly options: PeerOptions;
  readonly isVerified: boolean;
  /** Number of the credentials: a connection that was made with others takes no more requests. */
  readonly generation: number;
}

/** Opens connections to node agents and pods. */
export class AgentConnector {
  readonly #peers = new WeakMap<AgentCredentials, Peer>();
  #generations = 0;
  readonly #sessions = new AgentSessions();

  constructor(private readonly settings: ConnectorSettings) {}

  /**
   * Sends a request to a backend on behalf of a client's request, on a connection of its own.
   * @returns the head of the response
   * @throws StatusError 400 for an address that is not allowed, by name or number; Error of the connection; for a client
   * that is gone
   */
  send(ctx: RequestContext, backend: NodeBackend, sent: Sent): Promise<AnswerHead> {
    return this.#allowed(backend, (lookup) => {
      const { secure, host, port } = backend;
      const to = { host, port, lookup, agent: false };
      return this.#exchange(ctx, backend, sent, secure ? { ...to, ...this.#tlsFor(backend) } : to);
    });
  }

  /**
   * Sends a GET to an agent on behalf of a client's request: where the agent speaks HTTP/2, on a connection that is
   * shared, since a log that is followed would occupy one of its own for hours.
   * @returns the response
   * @throws as {@link send}
   */
  async get(ctx: RequestContext, backend: NodeBackend): Promise<ServerAnswer> {
    if (!backend.secure) return (await this.send(ctx, backend, GET)).message;
    try {
      return await this.#getOnce(ctx, backend);
    } catch (error) {
      if (!(error instanceof UnprocessedError)) throw error;
    }
    try {
      return await this.#getOnce(ctx, backend);
    } catch (error) {
      throw error instanceof UnprocessedError ? error.cause : error;
    }
  }

  async #getOnce(ctx: RequestContext, backend: NodeBackend): Promise<ServerAnswer> {
    requireClient(ctx);
    const found = await this.#sessions.reserve(this.#placeOf(backend));
    if (found === undefined) return (await this.send(ctx, backend, GET)).message;
    if (found instanceof AgentSession) return found.get(ctx, backend.path);
    if (isGone(ctx)) found.destroy();
    return (await this.#exchange(ctx, backend, GET, { createConnection: () => found })).message;
  }

  /** Passes a lookup of allowed addresses on. @throws StatusError 400 for an address that is not allowed */
  async #allowed<T>({ host }: NodeBackend, connect: (lookup: LookupFunction) => Promise<T>): Promise<T> {
    const { allows = isRoutable } = this.settings;
    if (isIP(host) !== 0 && !allows(host)) throw notAllowed();
    let isRefused = false;
    const lookup = allowedLookup((address) => {
      const isAllowed = allows(address);
      isRefused ||= !isAllowed;
      return isAllowed;
    });
    try {
      return await connect(lookup);
    } catch (error) {
      throw isRefused ? notAllowed() : error;
    }
  }

  async #exchange(
    ctx: RequestContext,
    { secure, serves, path }: NodeBackend,
    { method, headers, ...sent }: Sent,
    to: RequestOptions,
  ): Promise<AnswerHead> {
    const { connections, connectMs } = this.settings;
    requireClient(ctx);
    const maxHeaderSize = serves === 'pod' ? MAX_POD_HEAD : MAX_AGENT_HEAD;
    const about: RequestOptions = { ...to, path, method, headers, maxHeaderSize };
    return exchange(ctx, secure ? httpsRequest(about) : httpRequest(about), { connections, connectMs, ...sent });
  }

  #placeOf(backend: NodeBackend): AgentPlace {
    const { host, port, serves } = backend;
    const { connections, connectMs } = this.settings;
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const tls = { host, port, ALPNProtocols: ['h2', 'http/1.1'], ...this.#tlsFor(backend) };
    return {
      key: `${serves} ${authority} ${this.#peer.generation}`,
      authority,
      limitMs: connectMs,
      dial: () => this.#allowed(backend, (lookup) => dial({ ...tls, lookup }, connectMs, connections)),
    };
  }

  #tlsFor({ serves, host }: NodeBackend): ConnectionOptions {
    // Node would take the name from the header `Host`, which is the client's.
    const servername = isIP(host) === 0 ? host : '';
    if (serves === 'pod') return { servername, rejectUnauthorized: false };
    const { options, isVerified } = this.#peer;
    return { ...options, servername, rejectUnauthorized: serves === 'agent' && isVerified };
  }

  /** Options of connections by the current credentials. */
  get #peer(): Peer {
    const credentials = this.settings.credentials();
    const known = this.#peers.get(credentials);
    if (known) return known;
    const { client, ca } = credentials;
    const options = peerOptions({ ca, cert: client?.cert, key: client?.key });
    const peer = { options, isVerified: ca !== undefined, generation: this.#generations++ };
    this.#peers.set(credentials, peer);
    return peer;
  }
}

const GET: Sent = { method: 'GET', headers: {}, body: undefined };

const notAllowed = (): StatusError => badRequest('address not allowed');
