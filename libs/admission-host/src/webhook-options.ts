import type { OptionValues } from '@orch/runtime';
/** Options of the calls of webhooks. Bounds are per call. */
export const webhookOptions = {
  'webhook-max-answer-bytes': {
    type: 'bytes',
    default: 16 << 20,
    min: 64 << 10,
    help: "Maximum size of a webhook's response. A call with a larger one fails.",
  },
  'service-resolver': {
    type: 'list',
    default: [],
    help: 'Addresses that replace those of Services of webhooks: NAMESPACE/NAME:PORT=HOST:PORT, without the first PORT for all ports of the Service.',
  },
  'webhook-deny-cidrs': {
    type: 'list',
    default: [],
    help: 'Networks in which no webhook is called, whatever its URL or Service resolves to, for example 169.254.0.0/16, fd00::/8. Calls through a proxy are not checked.',
  },
  'admission-webhook-exempt-namespaces': {
    type: 'list',
    default: [],
    help: 'Namespaces that are exempt from admission webhooks: the namespace objects themselves and all objects within them.',
  },
  'admission-webhook-exempt-groups': {
    type: 'list',
    default: [],
    help: 'Groups of users whose writes are not sent to admission webhooks.',
  },
  'admission-webhook-max-hanging-calls': {
    type: 'int',
    default: 50,
    min: 0,
    help: 'Maximum number of hanging calls of one admission webhook. A call hangs when half of its timeout has passed and nothing has been answered since it began. At the limit, if the calls are of several users and failurePolicy is Fail, each user may have one call under way; further writes of that user are refused. 0 means no limit.',
  },
  'conversion-webhook-timeout': {
    type: 'duration',
    default: 30_000,
    min: 100,
    max: 60_000,
    help: 'Timeout of a call of a conversion webhook. The request that needs the conversion fails then.',
  },
  'conversion-webhook-max-objects': {
    type: 'int',
    default: 1000,
    min: 1,
    help: 'Maximum number of objects in one call of a conversion webhook. A larger list or batch of events takes several calls.',
  },
  'conversion-webhook-max-bytes': {
    type: 'bytes',
    default: 4 << 20,
    min: 64 << 10,
    help: 'Size at which no further objects are added to one call of a conversion webhook.',
  },
  'conversion-webhook-cache-bytes': {
    type: 'bytes',
    default: 64 << 20,
    min: 0,
    help: 'Memory for custom resources that webhooks have converted for lists, together with the stored objects. Unchanged objects are then not converted again. 0 disables the cache.',
  },
  'conversion-webhook-max-held-bytes': {
    type: 'bytes',
    default: 32 << 20,
    min: 1 << 20,
    help: 'Size of stored objects of one definition that requests may have under conversion at a time. Further requests wait for as long as a call may take, and then get 429.',
  },
} as const;

/** Values of {@link webhookOptions}. */
export type WebhookOptions = OptionValues<typeof webhookOptions>;
