export type { ServicePort, ServiceReference, WebhookClientConfig } from './client-config.js';
export {
  AnswerTooLarge,
  type ServiceAddresses,
  type WebhookCall,
  WebhookClients,
  WebhookError,
  type WebhookSettings,
} from './webhook-clients.js';
