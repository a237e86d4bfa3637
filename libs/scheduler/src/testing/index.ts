export { type Explanation, explain } from './explain.js';
export { FakeCluster } from './fake-cluster.js';
export { profilesFrom } from './profiles.js';
