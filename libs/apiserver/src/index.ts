export { busOf, storeAt } from './server/backends.js';
export type { ControlPlaneSettings, Role } from './server/control-plane.js';
export {
  type BackendOptions,
  backendOptions,
  type ServingOptions,
  servingOptions,
  workerOptions,
} from './server/options.js';
export { runService } from './server/run-service.js';
