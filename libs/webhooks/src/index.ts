export type { ServicePort, ServiceReference, WebhookClientConfig } from './client-config.js';
export {
  type ServiceAddresses,
  type WebhookCall,
  WebhookClients,
  WebhookError,
  type WebhookSettings,
} from './webhook-clients.js';
