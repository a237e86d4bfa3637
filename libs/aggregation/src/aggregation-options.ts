import type { OptionValues } from '@orch/runtime';
/** Options of how other servers answer for the group-versions of APIServices. */
export const aggregationOptions = {
  'enable-aggregator-routing': {
    type: 'bool',
    default: false,
    help: 'Connect to the endpoints of Services (of extension servers and webhooks) directly, not to their cluster IPs, which need a proxy on this machine.',
  },
  'max-requests-per-extension': {
    type: 'int',
    default: 100,
    min: 0,
    help: 'Maximum number of concurrent requests to one extension server, without watches and upgraded connections. Further ones get 429. 0 means no limit.',
  },
  'max-extension-document-bytes': {
    type: 'bytes',
    default: 8 << 20,
    min: 1024,
    help: 'Maximum size of a discovery or OpenAPI document of an extension server.',
  },
} as const;

/** Values of {@link aggregationOptions}. */
export type AggregationOptions = OptionValues<typeof aggregationOptions>;
