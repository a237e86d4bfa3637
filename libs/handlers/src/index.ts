export type { ComponentCheck } from './components/component.js';
export { isRoutable } from './connecting/addresses.js';
export {
  type CommandSession,
  type Connections,
  type NodeBackend,
  type PodSession,
  unexplained,
  urlOf,
} from './connecting/connections.js';
export type { ApiDeps, RequestLimits } from './deps.js';
export { merging } from './objects/apply.js';
export { replicasOf, scaleType, scaleView, writeReplicas } from './objects/scale.js';
export { ServedWatches } from './objects/served-watches.js';
export { servesSubresource, verbsWith } from './verbs.js';
