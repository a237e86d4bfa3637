import type { OptionValues } from '@orch/runtime';
import type { ConnectionLimits } from './connection-limits.js';

/** Bounds on what connections may take of a process and how long, whoever has opened them. */
export const connectionOptions = {
  'goaway-chance': {
    type: 'float',
    default: 0,
    min: 0,
    max: 0.02,
    help: 'Part of the requests behind which a connection takes no more of them, so that clients come back by way of the load balancer: GOAWAY over HTTP/2, Connection: close over HTTP/1.1. What is open on it goes on. Not for a server alone; 0.001 is a good start.',
  },
  'max-request-header-bytes': {
    type: 'bytes',
    default: 64 << 10,
    min: 8 << 10,
    max: 64 << 10,
    help: 'Largest head of a request, its target with the query among it; larger ones are answered with 431.',
  },
  'max-request-header-fields': {
    type: 'int',
    default: 1000,
    min: 50,
    max: 10_000,
    help: 'Most header fields of a request; more are answered with 431.',
  },
  'request-header-timeout': {
    type: 'duration',
    default: 30_000,
    min: 1000,
    help: 'Within which the TLS handshake of a connection is done, and the head of a request has come; else it is answered with 408 as far as it is HTTP, and closed.',
  },
  'request-body-timeout': {
    type: 'duration',
    default: 30_000,
    min: 1000,
    help: 'Within which the body of a request has come once it is read; else it is answered with 408.',
  },
  'idle-connection-timeout': {
    type: 'duration',
    default: 120_000,
    min: 1000,
    help: 'After which a connection is closed on which nothing is asked; longer than clients keep them, so that no request meets a closed one.',
  },
  'max-connections': {
    type: 'int',
    default: 100_000,
    min: 0,
    help: 'Connections that are open at a time on a port; more are closed at once. 0 is no bound.',
  },
  'handshakes-per-round': {
    type: 'int',
    default: 2,
    min: 0,
    help: 'TLS handshakes that begin in a round of the event loop, by turns of the addresses that connections come from (over IPv6 of the networks of 64 bits), so that clients who come back all at once do not keep those waiting who are there. Who has waited for ten seconds, or for --request-header-timeout, is closed. 0 is no bound.',
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
