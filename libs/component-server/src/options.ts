import type { OptionValues } from '@orch/runtime';

/** Options that are the same for every component. */
const SHARED = {
  'bind-address': { type: 'string', default: '0.0.0.0', help: 'Address of the HTTPS port.' },
  'tls-cert-file': {
    type: 'string',
    help: 'Certificate of the HTTPS port, PEM. Default: one that the process signs itself, and keeps in memory.',
  },
  'tls-private-key-file': { type: 'string', help: 'Private key of --tls-cert-file, PEM.' },
  'client-ca-file': {
    type: 'string',
    help: 'Authorities of client certificates, PEM. Default: none, such certificates are not looked at.',
  },
  'authentication-token-webhook-cache-ttl': {
    type: 'duration',
    default: 10_000,
    min: 0,
    help: 'How long the answer about a bearer token (TokenReview) is kept.',
  },
  'authorization-webhook-cache-authorized-ttl': {
    type: 'duration',
    default: 10_000,
    min: 0,
    help: 'How long an answer that allows a request (SubjectAccessReview) is kept.',
  },
  'authorization-webhook-cache-unauthorized-ttl': {
    type: 'duration',
    default: 10_000,
    min: 0,
    help: 'How long any other answer about a request is kept.',
  },
  'authorization-always-allow-paths': {
    type: 'list',
    default: ['/healthz', '/readyz', '/livez'],
    help: 'Paths that anybody may ask for; one that ends with * means all that begin so.',
  },
  'unauthenticated-connection-timeout': {
    type: 'duration',
    default: 30_000,
    min: 0,
    help: 'Time after which a connection to the port is closed that has carried no request that was allowed; paths that anybody may ask for do not count. 0 for never.',
  },
} as const;

/** Definitions of the options of a component's port. @param port the usual one */
export const componentServerOptions = (port: number) =>
  ({
    ...SHARED,
    'secure-port': {
      type: 'int',
      default: port,
      min: 0,
      max: 65535,
      help: 'HTTPS port for health, metrics and configuration. 0 opens none.',
    },
  }) as const;

/** Values of these options. */
export type ComponentServerOptions = OptionValues<ReturnType<typeof componentServerOptions>>;
