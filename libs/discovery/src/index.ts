export { createDiscoveryRoutes } from './discovery-routes.js';
export { createFallbackApp, type MetricsText, type VersionInfo } from './fallback-app.js';
export { healthSeries } from './health-metrics.js';
export { createIssuerRoutes } from './issuer-routes.js';
export { partOf } from './openapi-v2-merge.js';
export {
  NO_REMOTE_DOCUMENTS,
  type OpenApiV2Part,
  type RemoteDocuments,
  type RemoteVersion,
} from './remote-documents.js';
