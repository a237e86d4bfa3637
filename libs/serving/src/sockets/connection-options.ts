import type { OptionValues } from '@orch/runtime';
import type { ConnectionLimits } from './connection-limits.js';

/** Bounds on what connections may take of a process and how long, whoever has opened them. */
export const connectionOptions = {
  'goaway-chance': {
    type: 'float',
    default: 0,
    min: 0,
    max: 0.02,
    help: 'Probability that a request is the last one on its connection, so that clients reconnect through the load balancer: GOAWAY over HTTP/2, Connection: close over HTTP/1.1. Requests and watches under way continue. Do not use it with a single server; 0.001 is a good start.',
  },
  'max-request-header-bytes': {
    type: 'bytes',
    default: 64 << 10,
    min: 8 << 10,
    max: 64 << 10,
    help: 'Maximum size of the request line (with the query) and the headers. A larger request gets 431.',
  },
  'max-request-header-fields': {
    type: 'int',
    default: 1000,
    min: 50,
    max: 10_000,
    help: 'Maximum number of header fields of a request. A request with more gets 431.',
  },
  'request-header-timeout': {
    type: 'duration',
    default: 30_000,
    min: 1000,
    help: 'Time within which the TLS handshake and the headers of a request must arrive. A later request gets 408, if HTTP is spoken already, and the connection is closed.',
  },
  'request-body-timeout': {
    type: 'duration',
    default: 30_000,
    min: 1000,
    help: 'Time within which a request body must arrive after the server starts to read it. A later one gets 408.',
  },
  'idle-connection-timeout': {
    type: 'duration',
    default: 120_000,
    min: 1000,
    help: 'A connection without requests is closed after this time. It should be longer than clients keep connections, so that no request meets a closed one.',
  },
  'max-connections': {
    type: 'int',
    default: 100_000,
    min: 0,
    help: 'Maximum number of open connections of a port. Further connections are closed at once. 0 means no limit.',
  },
  'handshakes-per-round': {
    type: 'int',
    default: 2,
    min: 0,
    help: 'Number of TLS handshakes that begin in one turn of the event loop, taking turns by client address (by /64 network for IPv6), so that a crowd of new connections does not delay existing clients. A connection that has waited for ten seconds, or for --request-header-timeout, is closed. 0 means no limit.',
  },
} as const;

/** How long a request may wait for its turn and for other servers while its body is on its way, beside the times for head and body. */
const WAITING_MS = 60_000;

/**
 * Translates the options into the limits of a listener. A request may take its head and body timeouts and a minute
 * more.
 */
export const connectionLimits = (serving: OptionValues<typeof connectionOptions>): ConnectionLimits => ({
  maxHeadBytes: serving.maxRequestHeaderBytes,
  maxHeadFields: serving.maxRequestHeaderFields,
  headMs: serving.requestHeaderTimeout,
  requestMs: serving.requestHeaderTimeout + serving.requestBodyTimeout + WAITING_MS,
  idleMs: serving.idleConnectionTimeout,
  maxConnections: serving.maxConnections,
  handshakesPerRound: serving.handshakesPerRound,
  goawayChance: serving.goawayChance,
});
