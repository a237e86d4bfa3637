export type { ServicePort, ServiceReference, WebhookClientConfig } from './client-config.js';
export { openRedisRates, openRedisVerdicts } from './open-redis.js';
export type { RedisSettings } from './redis-connection.js';
export type { RedisRates } from './redis-rates.js';
export type { RedisVerdicts, RedisVerdictsSettings } from './redis-verdicts.js';
export { ReviewWebhook, type ReviewWebhookSettings } from './review-webhook.js';
export type { Rate, SharedRates } from './shared-rates.js';
export {
  type ExpiringValue,
  type SharedVerdicts,
  VerdictCache,
  type VerdictCacheSettings,
  type VerdictObserver,
} from './verdict-cache.js';
export {
  AnswerTooLarge,
  type ServiceAddresses,
  type WebhookCall,
  WebhookClients,
  WebhookError,
  type WebhookSettings,
} from './webhook-clients.js';
