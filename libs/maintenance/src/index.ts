export { claimController } from './addresses/claim-controller.js';
export { claimFindings } from './addresses/claim-findings.js';
export { Housekeeping } from './addresses/housekeeping.js';
export { bootstrapTokenControllers } from './bootstrap-tokens/bootstrap-token-controllers.js';
export { certificateRequests } from './certificates/certificate-requests.js';
export { yieldToManager } from './controller-manager-lease.js';
export { type ControllerName, checkNamedControllers, controllerOptions, runsController } from './controller-options.js';
export { maintenanceOptions } from './maintenance-options.js';
export { bootstrap, makeNamespaces } from './namespaces/bootstrap.js';
export { NamespaceContents } from './namespaces/namespace-contents.js';
export { namespaceController } from './namespaces/namespace-controller.js';
export {
  type FollowedByNamespaces,
  followForNamespaces,
  namespaceControllers,
} from './namespaces/namespace-controllers.js';
export { quotaCounts } from './quotas/quota-counts.js';
export { quotaMetrics } from './quotas/quota-metrics.js';
export { addressOptions } from './service-endpoints/address-options.js';
export { ADDRESS_MS, EndpointsReconciler } from './service-endpoints/endpoints-reconciler.js';
export { inUrl, ownAddress, thisMachine } from './service-endpoints/own-address.js';
