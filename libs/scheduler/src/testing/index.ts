export { type Explanation, explain } from './explain.js';
export { explainVolumes, type VolumeExplanation } from './explain-volumes.js';
export { FakeCluster } from './fake-cluster.js';
export { profilesFrom } from './profiles.js';
