export { ClusterState } from '../cluster/cluster-state.js';
export { type Explanation, explain } from './explain.js';
export { explainVolumes, type VolumeExplanation } from './explain-volumes.js';
export { FakeCluster, type PodSettings } from './fake-cluster.js';
export { profilesFrom, profilesOf } from './profiles.js';
export { VolumeCluster } from './volume-cluster.js';
