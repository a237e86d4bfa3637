import type { OptionValues } from '@orch/runtime';
/** Options of the calls of webhooks. Bounds are per call. */
export const webhookOptions = {
  'webhook-max-answer-bytes': {
    type: 'bytes',
    default: 16 << 20,
    min: 64 << 10,
    help: 'Largest answer of a webhook; the call of one that says more has failed.',
  },
  'service-resolver': {
    type: 'list',
    default: [],
    help: 'Where Services are reached that webhooks are behind, in place of their own addresses: NAMESPACE/NAME:PORT=HOST:PORT, without the first PORT for all of its ports.',
  },
  'webhook-deny-cidrs': {
    type: 'list',
    default: [],
    help: 'Networks in which no webhook is called, whatever its URL or Service says: 169.254.0.0/16, fd00::/8. A proxy that calls go through is not bound by this.',
  },
  'admission-webhook-exempt-namespaces': {
    type: 'list',
    default: [],
    help: 'Namespaces about which no admission webhook is asked: those objects themselves, and what lies in them.',
  },
  'admission-webhook-exempt-groups': {
    type: 'list',
    default: [],
    help: 'Groups of users about whose writes no admission webhook is asked.',
  },
  'admission-webhook-max-hanging-calls': {
    type: 'int',
    default: 50,
    min: 0,
    help: 'Calls of one admission webhook that may hang: out for half of their time, with nothing answered since they began. Where so many of several users do, and failurePolicy is Fail, a user has one call out at a time, and further writes are refused. 0 for no bound.',
  },
  'conversion-webhook-timeout': {
    type: 'duration',
    default: 30_000,
    min: 100,
    max: 60_000,
    help: 'How long a webhook may take that converts custom resources; then the request fails that needs it.',
  },
  'conversion-webhook-max-objects': {
    type: 'int',
    default: 1000,
    min: 1,
    help: 'Most objects that a webhook is asked to convert at a time; a list or a batch of events of more takes several calls.',
  },
  'conversion-webhook-max-bytes': {
    type: 'bytes',
    default: 4 << 20,
    min: 64 << 10,
    help: 'Bytes of objects after which no more go with a call of such a webhook.',
  },
  'conversion-webhook-cache-bytes': {
    type: 'bytes',
    default: 64 << 20,
    min: 0,
    help: 'Memory for custom resources that such webhooks have converted for lists, and what they were made of; what lists ask for again and has not changed is not asked for anew. 0 keeps none.',
  },
  'conversion-webhook-max-held-bytes': {
    type: 'bytes',
    default: 32 << 20,
    min: 1 << 20,
    help: 'Bytes of stored objects of one definition that requests may be having converted at a time; others wait for as long as a call may take, and are then answered with 429.',
  },
} as const;

/** Values of {@link webhookOptions}. */
export type WebhookOptions = OptionValues<typeof webhookOptions>;
