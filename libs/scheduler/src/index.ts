export type { ClusterObjects, ClusterView } from './framework/cluster-view.js';
