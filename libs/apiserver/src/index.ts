export { busOf, storeAt } from './server/backends.js';
export { type ControlPlane, type ControlPlaneSettings, createControlPlane, type Role } from './server/control-plane.js';
export { type BackendOptions, backendOptions, type ServingOptions, servingOptions } from './server/options.js';
export { runService } from './server/run-service.js';
