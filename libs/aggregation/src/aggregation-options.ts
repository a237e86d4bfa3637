import type { OptionValues } from '@orch/runtime';
/** Options of how other servers answer for the group-versions of APIServices. */
export const aggregationOptions = {
  'enable-aggregator-routing': {
    type: 'bool',
    default: false,
    help: 'Requests for other servers, and calls of webhooks, go to the endpoints of their Services, not to the addresses of these, which need a proxy on this machine.',
  },
  'max-requests-per-extension': {
    type: 'int',
    default: 100,
    min: 0,
    help: 'Requests that the server of an APIService may be answering at a time, watches and upgraded connections left out; more are answered with 429. 0 is no limit.',
  },
  'max-extension-document-bytes': {
    type: 'bytes',
    default: 8 << 20,
    min: 1024,
    help: 'Largest discovery or OpenAPI document that is taken from the server of an APIService.',
  },
} as const;

/** Values of {@link aggregationOptions}. */
export type AggregationOptions = OptionValues<typeof aggregationOptions>;
