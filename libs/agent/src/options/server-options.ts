import { loggingOptions } from '@orch/runtime';
import { checkAddress } from './checks.js';

/** Options of the agent's own ports, its logs, and who may use it (spec: "Node agent authentication options"). */
export const serverOptions = {
  ...loggingOptions,
  'log-flush-frequency': {
    type: 'duration',
    default: 5_000,
    min: 0,
    help: 'Longest time between flushes of logs. Lines are written at once, so it has no effect.',
  },
  address: { type: 'string', default: '0.0.0.0', check: checkAddress, help: 'Address that the agent serves on.' },
  port: { type: 'int', default: 10_250, min: 1, max: 65_535, help: 'Port that the agent serves on.' },
  'healthz-bind-address': {
    type: 'string',
    default: '127.0.0.1',
    check: checkAddress,
    help: 'Address of the health endpoint.',
  },
  'healthz-port': {
    type: 'int',
    default: 10_248,
    min: 0,
    max: 65_535,
    help: 'Port of the health endpoint; 0 for none.',
  },
  'enable-server': { type: 'bool', default: true, help: 'Whether the agent serves on its address and port.' },
  'enable-debugging-handlers': {
    type: 'bool',
    default: true,
    help: 'Whether commands, logs and connections to containers are served.',
  },
  'streaming-connection-idle-timeout': {
    type: 'duration',
    default: 14_400_000,
    min: 0,
    help: 'Idle time after which connections to containers are closed; 0 for never.',
  },
  'unauthenticated-connection-timeout': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'Time after which a connection to the port is closed that has carried no request that was allowed; 0 for never.',
  },
  'cert-dir': {
    type: 'string',
    default: '/var/lib/node-agent/pki',
    help: 'Folder of certificates. Ignored if both --tls-cert-file and --tls-private-key-file are set.',
  },
  'tls-cert-file': { type: 'string', help: 'Serving certificate and its intermediates, PEM.' },
  'tls-private-key-file': { type: 'string', help: 'Key of --tls-cert-file, PEM.' },
  'rotate-certificates': { type: 'bool', help: 'Whether the client certificate is renewed before it expires.' },
  'rotate-server-certificates': {
    type: 'bool',
    help: 'Whether the serving certificate is requested from the API and renewed before it expires.',
  },
  'anonymous-auth': { type: 'bool', default: true, help: 'Whether requests without credentials are accepted.' },
  'authentication-token-webhook': { type: 'bool', help: 'Whether bearer tokens are verified by TokenReviews.' },
  'authentication-token-webhook-cache-ttl': {
    type: 'duration',
    default: 120_000,
    min: 0,
    help: 'Time that answers of TokenReviews are cached.',
  },
  'authorization-mode': {
    type: 'string',
    choices: ['AlwaysAllow', 'Webhook'],
    default: 'AlwaysAllow',
    help: 'Authorization of requests: everything is allowed, or SubjectAccessReviews decide.',
  },
  'authorization-webhook-cache-authorized-ttl': {
    type: 'duration',
    default: 300_000,
    min: 0,
    help: 'Time that answers of SubjectAccessReviews which allow are cached.',
  },
  'authorization-webhook-cache-unauthorized-ttl': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'Time that answers of SubjectAccessReviews which do not allow are cached.',
  },
  'client-ca-file': { type: 'string', help: 'Authorities of client certificates, PEM.' },
} as const;
