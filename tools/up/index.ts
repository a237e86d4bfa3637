export { natsServer, type Place, postgresServer, postgresUrl } from './backends.js';
export { type Backend, type Cluster, type ClusterSettings, EXECUTABLE, startCluster } from './cluster.js';
export { kubeconfig } from './kubeconfig.js';
export { LOAD_BALANCERS, type LoadBalancerKind, loadBalancer } from './load-balancer.js';
export { ManagedProcess, type ProcessSettings, tail } from './managed-process.js';
export { freePort, freePorts } from './ports.js';
export { descendants, isAlive, type ProcessStat, processStat } from './proc.js';
export { findPrograms, type Programs, which } from './programs.js';
export { accepts, answersOk, waitUntil } from './ready.js';
