export { connectionLimits, connectionOptions } from '@orch/serving';
export { embeddedPostgresObserver } from './metrics/embedded-postgres-metrics.js';
export { releaseMetrics } from './metrics/release-metrics.js';
export { type Api, assembleApi, type ListBudget } from './server/assemble.js';
export { storeAt } from './server/backends.js';
export { busOf } from './server/change-bus.js';
export type { ControlPlaneSettings, ProcessRole, ServedApi, StoreHost } from './server/control-plane-settings.js';
export type { LocalApi } from './server/local/local-api.js';
export {
  type BackendOptions,
  backendOptions,
  type ServingOptions,
  servingOptions,
} from './server/options.js';
export { rewriteStorage, rewritingOptions, type StorageRewriting } from './server/rewrite-storage.js';
export { runService } from './server/run-service.js';
export { servingProblems } from './server/served-selection.js';
export { runTierService, tierOptions } from './server/tier-service.js';
export { VERSION } from './server/version.js';
export { warmUpOptions } from './server/warm-up/warm-up-options.js';
