import { type ClientRequest, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { allowedLookup } from '@orch/client';
import { isRoutable, type NodeBackend } from '@orch/handlers';
import { badRequest, type StatusError } from '@orch/machinery';
import type { OutgoingConnections, Pair, RequestContext } from '@orch/serving';
import { type PeerOptions, peerOptions } from '@orch/tls';
import { type AnswerHead, type Exchanging, exchange, requireClient } from './exchange.js';

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

/** Opens connections to node agents and pods, each for one request. */
export class AgentConnector {
  readonly #peers = new WeakMap<AgentCredentials, PeerOptions>();

  constructor(private readonly settings: ConnectorSettings) {}

  /**
   * Sends a request to a backend on behalf of a client's request.
   * @returns the head of the response
   * @throws StatusError 400 for an address that is not allowed, by name or number; Error of the connection; for a client
   * that is gone
   */
  async send(ctx: RequestContext, backend: NodeBackend, { method, headers, ...sent }: Sent): Promise<AnswerHead> {
    const { connections, connectMs, allows = isRoutable } = this.settings;
    const { secure, host, port, path } = backend;
    if (isIP(host) !== 0 && !allows(host)) throw notAllowed();
    requireClient(ctx);
    let isRefused = false;
    const lookup = allowedLookup((address) => {
      const isAllowed = allows(address);
      isRefused ||= !isAllowed;
      return isAllowed;
    });
    const maxHeaderSize = backend.serves === 'pod' ? MAX_POD_HEAD : MAX_AGENT_HEAD;
    const about = { host, port, path, method, headers, lookup, agent: false, maxHeaderSize } as const;
    const upstream: ClientRequest = secure ? httpsRequest({ ...about, ...this.#tlsFor(backend) }) : httpRequest(about);
    try {
      return await exchange(ctx, upstream, { connections, connectMs, ...sent });
    } catch (error) {
      throw isRefused ? notAllowed() : error;
    }
  }

  #tlsFor({ serves, host }: NodeBackend) {
    // Node would take the name from the header `Host`, which is the client's.
    const servername = isIP(host) === 0 ? host : '';
    if (serves === 'pod') return { servername, rejectUnauthorized: false };
    const credentials = this.settings.credentials();
    const { client, ca } = credentials;
    const known = this.#peers.get(credentials);
    const peer = known ?? peerOptions({ ca, cert: client?.cert, key: client?.key });
    if (!known) this.#peers.set(credentials, peer);
    return { ...peer, servername, rejectUnauthorized: serves === 'agent' && ca !== undefined };
  }
}

const notAllowed = (): StatusError => badRequest('address not allowed');
