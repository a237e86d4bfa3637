export {
  type ConfigurationObjects,
  containerEnvironment,
  expandedCommand,
} from './environment/container-environment.js';
export { expand, unknownReferences } from './environment/expansion.js';
export { serviceVariables } from './environment/service-variables.js';
export { EventRecorder } from './events/event-recorder.js';
export { containerPath, type EventSink, type EventType } from './events/event-sink.js';
export {
  annotationOf,
  type ContainerKind,
  containersOf,
  fullNameOf,
  isMirrorPod,
  isStaticPod,
  type PodAnnotations,
  type PodContainer,
  type PodSource,
  podAnnotations,
  podKeyOf,
  uidOf,
} from './identity.js';
export { type DnsSettings, podDns } from './network/dns-config.js';
export { hostsFile, hostsFileOfNode, kernelHostname, podHostname } from './network/hosts-file.js';
export { ReferencedObjects } from './objects/referenced-objects.js';
export { amountsOf, podAmounts } from './resources/amounts.js';
export { CgroupFolders } from './resources/cgroup-folders.js';
export { type CgroupDriver, type CgroupName, cgroupAt, cgroupPath, podCgroup } from './resources/cgroup-names.js';
export { type CpuQuotaSettings, containerCgroupValues } from './resources/cgroup-values.js';
export {
  checkEvictionAmounts,
  checkEvictionPeriods,
  checkThresholds,
  type EvictionAmount,
  type EvictionSignal,
  type EvictionThreshold,
  parseEvictionAmounts,
  parseEvictionPeriods,
  parseThresholds,
} from './resources/eviction-thresholds.js';
export { admissionRefusals, nodeAmounts } from './resources/node-admission.js';
export { allocatableOf, type ReservedShares, resourceListOf } from './resources/node-allocatable.js';
export { isCriticalPod, isPreemptable, type QosClass, qosClassOf } from './resources/qos.js';
export { dottedSysctl } from './resources/sysctls.js';
export { VolumeClaims } from './volumes/claims.js';
export { type Mounter, systemMounter } from './volumes/mounter.js';
export { PodFolders } from './volumes/pod-folders.js';
export { PodTokens } from './volumes/pod-tokens.js';
export { PodVolumes, type ReadyVolume, VolumesError } from './volumes/pod-volumes.js';
export { PathEscapeError } from './volumes/safe-path.js';
export { mountSubPath } from './volumes/sub-path.js';
