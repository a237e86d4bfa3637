// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject } from '@orch/machinery';
import type * as meta_v1 from '../meta/v1.js';

/** Ties one object to another; scheduling a pod binds it to a node. */
export interface Binding {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  target?: ObjectReference;
}

/** Health of one control-plane component. Deprecated: ask the components themselves. */
export interface ComponentStatus {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Observed conditions. */
  conditions?: ComponentCondition[];
}

/** A collection of ComponentStatus objects. */
export interface ComponentStatusList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ComponentStatus[];
}

/** Configuration data for pods: text and binary values by key. */
export interface ConfigMap {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** No change of the data is allowed once set. */
  immutable?: boolean;
  /** Text values by key. */
  data?: Record<string, string>;
  /** Binary values by key, base64 in JSON. */
  binaryData?: Record<string, string>;
}

/** A collection of ConfigMap objects. */
export interface ConfigMapList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ConfigMap[];
}

/** Addresses and ports that stand behind a service of the same name. */
export interface Endpoints {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  subsets?: EndpointSubset[];
}

/** A collection of Endpoints objects. */
export interface EndpointsList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Endpoints[];
}

/** A report of something that happened to an object. Events are kept for a limited time and guide people, not programs. */
export interface Event {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  involvedObject?: ObjectReference;
  reason?: string;
  message?: string;
  source?: EventSource;
  firstTimestamp?: string;
  lastTimestamp?: string;
  count?: number;
  type?: string;
  eventTime?: string;
  series?: EventSeries;
  action?: string;
  related?: ObjectReference;
  reportingComponent?: string;
  reportingInstance?: string;
}

/** A collection of Event objects. */
export interface EventList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Event[];
}

/** Bounds and defaults for the resources that single objects of a namespace may ask for. */
export interface LimitRange {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: LimitRangeSpec;
}

/** A collection of LimitRange objects. */
export interface LimitRangeList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: LimitRange[];
}

/** A scope for names. Deleting it deletes everything inside. */
export interface Namespace {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: NamespaceSpec;
  /** The observed state; written by the system. */
  status?: NamespaceStatus;
}

/** A collection of Namespace objects. */
export interface NamespaceList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Namespace[];
}

/** A machine that pods run on. */
export interface Node {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: NodeSpec;
  /** The observed state; written by the system. */
  status?: NodeStatus;
}

/** A collection of Node objects. */
export interface NodeList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Node[];
}

/** A piece of storage of the cluster, with a life of its own apart from the pods that use it. */
export interface PersistentVolume {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: PersistentVolumeSpec;
  /** The observed state; written by the system. */
  status?: PersistentVolumeStatus;
}

/** A collection of PersistentVolume objects. */
export interface PersistentVolumeList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PersistentVolume[];
}

/** A request for storage by a user; bound to one volume that satisfies it. */
export interface PersistentVolumeClaim {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: PersistentVolumeClaimSpec;
  /** The observed state; written by the system. */
  status?: PersistentVolumeClaimStatus;
}

/** A collection of PersistentVolumeClaim objects. */
export interface PersistentVolumeClaimList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PersistentVolumeClaim[];
}

/** A group of containers that run together on one node and share its network address and volumes. */
export interface Pod {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: PodSpec;
  /** The observed state; written by the system. */
  status?: PodStatus;
}

/** A collection of Pod objects. */
export interface PodList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Pod[];
}

/** A description of pods to be made from it. */
export interface PodTemplate {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  template?: PodTemplateSpec;
}

/** A collection of PodTemplate objects. */
export interface PodTemplateList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PodTemplate[];
}

/** Keeps a number of pods running. Deployments and replica sets are its successors. */
export interface ReplicationController {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ReplicationControllerSpec;
  /** The observed state; written by the system. */
  status?: ReplicationControllerStatus;
}

/** A collection of ReplicationController objects. */
export interface ReplicationControllerList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ReplicationController[];
}

/** Caps what all objects of a namespace may use together. */
export interface ResourceQuota {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ResourceQuotaSpec;
  /** The observed state; written by the system. */
  status?: ResourceQuotaStatus;
}

/** A collection of ResourceQuota objects. */
export interface ResourceQuotaList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ResourceQuota[];
}

/** Sensitive data by key, at most 1 MiB in all. */
export interface Secret {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** No change of the data is allowed once set. */
  immutable?: boolean;
  /** Values by key, base64 in JSON. */
  data?: Record<string, string>;
  /** Values by key as plain text; write-only, folded into data. */
  stringData?: Record<string, string>;
  /** What the secret is for. */
  type?: string;
}

/** A collection of Secret objects. */
export interface SecretList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Secret[];
}

/** A stable name and address for a set of pods. */
export interface Service {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ServiceSpec;
  /** The observed state; written by the system. */
  status?: ServiceStatus;
}

/** A collection of Service objects. */
export interface ServiceList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Service[];
}

/** An identity for processes that run in pods. */
export interface ServiceAccount {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  secrets?: ObjectReference[];
  imagePullSecrets?: LocalObjectReference[];
  automountServiceAccountToken?: boolean;
}

/** A collection of ServiceAccount objects. */
export interface ServiceAccountList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ServiceAccount[];
}

export interface AWSElasticBlockStoreVolumeSource {
  volumeID?: string;
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
}

export interface Affinity {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAntiAffinity;
}

export interface AttachedVolume {
  name?: string;
  devicePath?: string;
}

export interface AzureDiskVolumeSource {
  diskName?: string;
  diskURI?: string;
  cachingMode?: "None" | "ReadOnly" | "ReadWrite";
  fsType?: string;
  readOnly?: boolean;
  kind?: "Dedicated" | "Managed" | "Shared";
}

export interface AzureFilePersistentVolumeSource {
  secretName?: string;
  shareName?: string;
  readOnly?: boolean;
  secretNamespace?: string;
}

export interface AzureFileVolumeSource {
  secretName?: string;
  shareName?: string;
  readOnly?: boolean;
}

export interface CSIPersistentVolumeSource {
  driver?: string;
  volumeHandle?: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  controllerPublishSecretRef?: SecretReference;
  nodeStageSecretRef?: SecretReference;
  nodePublishSecretRef?: SecretReference;
  controllerExpandSecretRef?: SecretReference;
  nodeExpandSecretRef?: SecretReference;
}

export interface CSIVolumeSource {
  driver?: string;
  readOnly?: boolean;
  fsType?: string;
  volumeAttributes?: Record<string, string>;
  nodePublishSecretRef?: LocalObjectReference;
}

export interface Capabilities {
  add?: string[];
  drop?: string[];
}

export interface CephFSPersistentVolumeSource {
  monitors?: string[];
  path?: string;
  user?: string;
  secretFile?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
}

export interface CephFSVolumeSource {
  monitors?: string[];
  path?: string;
  user?: string;
  secretFile?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
}

export interface CinderPersistentVolumeSource {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: SecretReference;
}

export interface CinderVolumeSource {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
}

export interface ClaimSource {
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

export interface ClientIPConfig {
  timeoutSeconds?: number;
}

export interface ComponentCondition {
  type?: string;
  status?: string;
  message?: string;
  error?: string;
}

export interface ConfigMapEnvSource extends LocalObjectReference {
  optional?: boolean;
}

export interface ConfigMapKeySelector extends LocalObjectReference {
  key?: string;
  optional?: boolean;
}

export interface ConfigMapNodeConfigSource {
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  kubeletConfigKey?: string;
}

export interface ConfigMapProjection extends LocalObjectReference {
  items?: KeyToPath[];
  optional?: boolean;
}

export interface ConfigMapVolumeSource extends LocalObjectReference {
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
}

/** One container of a pod. */
export interface Container {
  name?: string;
  /** The container image. */
  image?: string;
  /** Replaces the entry point of the image. */
  command?: string[];
  /** Arguments of the entry point. */
  args?: string[];
  workingDir?: string;
  /** Ports that the container listens on. */
  ports?: ContainerPort[];
  envFrom?: EnvFromSource[];
  /** Environment variables. */
  env?: EnvVar[];
  /** Compute resources that are needed and allowed. */
  resources?: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: Lifecycle;
  terminationMessagePath?: string;
  terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
  /** When to pull the image. */
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  securityContext?: SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
}

export interface ContainerImage {
  names?: string[];
  sizeBytes?: number | bigint;
}

export interface ContainerPort {
  name?: string;
  hostPort?: number;
  containerPort?: number;
  protocol?: "SCTP" | "TCP" | "UDP";
  hostIP?: string;
}

export interface ContainerResizePolicy {
  resourceName?: string;
  restartPolicy?: string;
}

export interface ContainerState {
  waiting?: ContainerStateWaiting;
  running?: ContainerStateRunning;
  terminated?: ContainerStateTerminated;
}

export interface ContainerStateRunning {
  startedAt?: string;
}

export interface ContainerStateTerminated {
  exitCode?: number;
  signal?: number;
  reason?: string;
  message?: string;
  startedAt?: string;
  finishedAt?: string;
  containerID?: string;
}

export interface ContainerStateWaiting {
  reason?: string;
  message?: string;
}

export interface ContainerStatus {
  name?: string;
  state?: ContainerState;
  lastState?: ContainerState;
  ready?: boolean;
  restartCount?: number;
  image?: string;
  imageID?: string;
  containerID?: string;
  started?: boolean;
  allocatedResources?: Record<string, string>;
  resources?: ResourceRequirements;
}

export interface DaemonEndpoint {
  Port?: number;
}

export interface DownwardAPIProjection {
  items?: DownwardAPIVolumeFile[];
}

export interface DownwardAPIVolumeFile {
  path?: string;
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  mode?: number;
}

export interface DownwardAPIVolumeSource {
  items?: DownwardAPIVolumeFile[];
  defaultMode?: number;
}

export interface EmptyDirVolumeSource {
  medium?: string;
  sizeLimit?: string;
}

export interface EndpointAddress {
  ip?: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: ObjectReference;
}

export interface EndpointPort {
  name?: string;
  port?: number;
  protocol?: "SCTP" | "TCP" | "UDP";
  appProtocol?: string;
}

export interface EndpointSubset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
}

export interface EnvFromSource {
  prefix?: string;
  configMapRef?: ConfigMapEnvSource;
  secretRef?: SecretEnvSource;
}

export interface EnvVar {
  name?: string;
  value?: string;
  valueFrom?: EnvVarSource;
}

export interface EnvVarSource {
  fieldRef?: ObjectFieldSelector;
  resourceFieldRef?: ResourceFieldSelector;
  configMapKeyRef?: ConfigMapKeySelector;
  secretKeyRef?: SecretKeySelector;
}

export interface EphemeralContainer extends EphemeralContainerCommon {
  targetContainerName?: string;
}

export interface EphemeralContainerCommon {
  name?: string;
  image?: string;
  command?: string[];
  args?: string[];
  workingDir?: string;
  ports?: ContainerPort[];
  envFrom?: EnvFromSource[];
  env?: EnvVar[];
  resources?: ResourceRequirements;
  resizePolicy?: ContainerResizePolicy[];
  volumeMounts?: VolumeMount[];
  volumeDevices?: VolumeDevice[];
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  lifecycle?: Lifecycle;
  terminationMessagePath?: string;
  terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  securityContext?: SecurityContext;
  stdin?: boolean;
  stdinOnce?: boolean;
  tty?: boolean;
}

export interface EphemeralVolumeSource {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

export interface EventSeries {
  count?: number;
  lastObservedTime?: string;
}

export interface EventSource {
  component?: string;
  host?: string;
}

export interface ExecAction {
  command?: string[];
}

export interface FCVolumeSource {
  targetWWNs?: string[];
  lun?: number;
  fsType?: string;
  readOnly?: boolean;
  wwids?: string[];
}

export interface FlexPersistentVolumeSource {
  driver?: string;
  fsType?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
  options?: Record<string, string>;
}

export interface FlexVolumeSource {
  driver?: string;
  fsType?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
  options?: Record<string, string>;
}

export interface FlockerVolumeSource {
  datasetName?: string;
  datasetUUID?: string;
}

export interface GCEPersistentDiskVolumeSource {
  pdName?: string;
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
}

export interface GRPCAction {
  port?: number;
  service?: string;
}

export interface GitRepoVolumeSource {
  repository?: string;
  revision?: string;
  directory?: string;
}

export interface GlusterfsPersistentVolumeSource {
  endpoints?: string;
  path?: string;
  readOnly?: boolean;
  endpointsNamespace?: string;
}

export interface GlusterfsVolumeSource {
  endpoints?: string;
  path?: string;
  readOnly?: boolean;
}

export interface HTTPGetAction {
  path?: string;
  port?: number | string;
  host?: string;
  scheme?: "HTTP" | "HTTPS";
  httpHeaders?: HTTPHeader[];
}

export interface HTTPHeader {
  name?: string;
  value?: string;
}

export interface HostAlias {
  ip?: string;
  hostnames?: string[];
}

export interface HostPathVolumeSource {
  path?: string;
  type?: "" | "BlockDevice" | "CharDevice" | "Directory" | "DirectoryOrCreate" | "File" | "FileOrCreate" | "Socket";
}

export interface ISCSIPersistentVolumeSource {
  targetPortal?: string;
  iqn?: string;
  lun?: number;
  iscsiInterface?: string;
  fsType?: string;
  readOnly?: boolean;
  portals?: string[];
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  secretRef?: SecretReference;
  initiatorName?: string;
}

export interface ISCSIVolumeSource {
  targetPortal?: string;
  iqn?: string;
  lun?: number;
  iscsiInterface?: string;
  fsType?: string;
  readOnly?: boolean;
  portals?: string[];
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  secretRef?: LocalObjectReference;
  initiatorName?: string;
}

export interface KeyToPath {
  key?: string;
  path?: string;
  mode?: number;
}

export interface Lifecycle {
  postStart?: LifecycleHandler;
  preStop?: LifecycleHandler;
}

export interface LifecycleHandler {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
}

export interface LimitRangeItem {
  type?: string;
  max?: Record<string, string>;
  min?: Record<string, string>;
  default?: Record<string, string>;
  defaultRequest?: Record<string, string>;
  maxLimitRequestRatio?: Record<string, string>;
}

export interface LimitRangeSpec {
  limits?: LimitRangeItem[];
}

/** A collection of objects. */
export interface List {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: JsonObject[];
}

export interface LoadBalancerIngress {
  ip?: string;
  hostname?: string;
  ports?: PortStatus[];
}

export interface LoadBalancerStatus {
  ingress?: LoadBalancerIngress[];
}

export interface LocalObjectReference {
  name?: string;
}

export interface LocalVolumeSource {
  path?: string;
  fsType?: string;
}

export interface NFSVolumeSource {
  server?: string;
  path?: string;
  readOnly?: boolean;
}

export interface NamespaceCondition {
  type?: string;
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface NamespaceSpec {
  finalizers?: string[];
}

export interface NamespaceStatus {
  phase?: "Active" | "Terminating";
  /** Observed conditions. */
  conditions?: NamespaceCondition[];
}

export interface NodeAddress {
  type?: string;
  address?: string;
}

export interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
}

export interface NodeCondition {
  type?: string;
  status?: string;
  lastHeartbeatTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface NodeConfigSource {
  configMap?: ConfigMapNodeConfigSource;
}

export interface NodeConfigStatus {
  assigned?: NodeConfigSource;
  active?: NodeConfigSource;
  lastKnownGood?: NodeConfigSource;
  error?: string;
}

export interface NodeDaemonEndpoints {
  kubeletEndpoint?: DaemonEndpoint;
}

export interface NodeProxyOptions {
  apiVersion?: string;
  kind?: string;
  path?: string;
}

export interface NodeSelector {
  nodeSelectorTerms?: NodeSelectorTerm[];
}

export interface NodeSelectorRequirement {
  key?: string;
  operator?: "DoesNotExist" | "Exists" | "Gt" | "In" | "Lt" | "NotIn";
  values?: string[];
}

export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
}

export interface NodeSpec {
  podCIDR?: string;
  podCIDRs?: string[];
  providerID?: string;
  unschedulable?: boolean;
  taints?: Taint[];
  configSource?: NodeConfigSource;
  externalID?: string;
}

export interface NodeStatus {
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
  phase?: "Pending" | "Running" | "Terminated";
  /** Observed conditions. */
  conditions?: NodeCondition[];
  addresses?: NodeAddress[];
  daemonEndpoints?: NodeDaemonEndpoints;
  nodeInfo?: NodeSystemInfo;
  images?: ContainerImage[];
  volumesInUse?: string[];
  volumesAttached?: AttachedVolume[];
  config?: NodeConfigStatus;
}

export interface NodeSystemInfo {
  machineID?: string;
  systemUUID?: string;
  bootID?: string;
  kernelVersion?: string;
  osImage?: string;
  containerRuntimeVersion?: string;
  kubeletVersion?: string;
  kubeProxyVersion?: string;
  operatingSystem?: string;
  architecture?: string;
}

export interface ObjectFieldSelector {
  apiVersion?: string;
  fieldPath?: string;
}

export interface ObjectReference {
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiVersion?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

export interface PersistentVolumeClaimCondition {
  type?: string;
  status?: string;
  lastProbeTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface PersistentVolumeClaimSpec {
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  /** Selects the objects concerned by their labels. */
  selector?: meta_v1.LabelSelector;
  resources?: ResourceRequirements;
  volumeName?: string;
  storageClassName?: string;
  volumeMode?: "Block" | "Filesystem";
  dataSource?: TypedLocalObjectReference;
  dataSourceRef?: TypedObjectReference;
}

export interface PersistentVolumeClaimStatus {
  phase?: "Bound" | "Lost" | "Pending";
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  capacity?: Record<string, string>;
  /** Observed conditions. */
  conditions?: PersistentVolumeClaimCondition[];
  allocatedResources?: Record<string, string>;
  resizeStatus?: "" | "ControllerExpansionFailed" | "ControllerExpansionInProgress" | "NodeExpansionFailed" | "NodeExpansionInProgress" | "NodeExpansionPending";
}

export interface PersistentVolumeClaimTemplate {
  metadata?: meta_v1.ObjectMeta;
  spec?: PersistentVolumeClaimSpec;
}

export interface PersistentVolumeClaimVolumeSource {
  claimName?: string;
  readOnly?: boolean;
}

export interface PersistentVolumeSource {
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  hostPath?: HostPathVolumeSource;
  glusterfs?: GlusterfsPersistentVolumeSource;
  nfs?: NFSVolumeSource;
  rbd?: RBDPersistentVolumeSource;
  iscsi?: ISCSIPersistentVolumeSource;
  cinder?: CinderPersistentVolumeSource;
  cephfs?: CephFSPersistentVolumeSource;
  fc?: FCVolumeSource;
  flocker?: FlockerVolumeSource;
  flexVolume?: FlexPersistentVolumeSource;
  azureFile?: AzureFilePersistentVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  quobyte?: QuobyteVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  scaleIO?: ScaleIOPersistentVolumeSource;
  local?: LocalVolumeSource;
  storageos?: StorageOSPersistentVolumeSource;
  csi?: CSIPersistentVolumeSource;
}

export interface PersistentVolumeSpec extends PersistentVolumeSource {
  capacity?: Record<string, string>;
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  claimRef?: ObjectReference;
  persistentVolumeReclaimPolicy?: "Delete" | "Recycle" | "Retain";
  storageClassName?: string;
  mountOptions?: string[];
  volumeMode?: "Block" | "Filesystem";
  nodeAffinity?: VolumeNodeAffinity;
}

export interface PersistentVolumeStatus {
  phase?: "Available" | "Bound" | "Failed" | "Pending" | "Released";
  message?: string;
  reason?: string;
}

export interface PhotonPersistentDiskVolumeSource {
  pdID?: string;
  fsType?: string;
}

export interface PodAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
}

export interface PodAffinityTerm {
  labelSelector?: meta_v1.LabelSelector;
  namespaces?: string[];
  topologyKey?: string;
  namespaceSelector?: meta_v1.LabelSelector;
}

export interface PodAntiAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
}

export interface PodAttachOptions {
  apiVersion?: string;
  kind?: string;
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
  container?: string;
}

export interface PodCondition {
  type?: string;
  status?: string;
  lastProbeTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface PodDNSConfig {
  nameservers?: string[];
  searches?: string[];
  options?: PodDNSConfigOption[];
}

export interface PodDNSConfigOption {
  name?: string;
  value?: string;
}

export interface PodExecOptions {
  apiVersion?: string;
  kind?: string;
  stdin?: boolean;
  stdout?: boolean;
  stderr?: boolean;
  tty?: boolean;
  container?: string;
  command?: string[];
}

export interface PodIP {
  ip?: string;
}

export interface PodLogOptions {
  apiVersion?: string;
  kind?: string;
  container?: string;
  follow?: boolean;
  previous?: boolean;
  sinceSeconds?: number | bigint;
  sinceTime?: string;
  timestamps?: boolean;
  tailLines?: number | bigint;
  limitBytes?: number | bigint;
  insecureSkipTLSVerifyBackend?: boolean;
}

export interface PodOS {
  name?: string;
}

export interface PodPortForwardOptions {
  apiVersion?: string;
  kind?: string;
  ports?: number[];
}

export interface PodProxyOptions {
  apiVersion?: string;
  kind?: string;
  path?: string;
}

export interface PodReadinessGate {
  conditionType?: string;
}

export interface PodResourceClaim {
  name?: string;
  source?: ClaimSource;
}

export interface PodSchedulingGate {
  name?: string;
}

export interface PodSecurityContext {
  seLinuxOptions?: SELinuxOptions;
  windowsOptions?: WindowsSecurityContextOptions;
  runAsUser?: number | bigint;
  runAsGroup?: number | bigint;
  runAsNonRoot?: boolean;
  supplementalGroups?: (number | bigint)[];
  fsGroup?: number | bigint;
  sysctls?: Sysctl[];
  fsGroupChangePolicy?: "Always" | "OnRootMismatch";
  seccompProfile?: SeccompProfile;
}

/** What a pod should be. */
export interface PodSpec {
  /** Volumes that containers may mount. */
  volumes?: Volume[];
  /** Run one after the other to completion before the containers start. */
  initContainers?: Container[];
  /** At least one. Cannot be added or removed later. */
  containers?: Container[];
  ephemeralContainers?: EphemeralContainer[];
  /** When containers are started again. */
  restartPolicy?: "Always" | "Never" | "OnFailure";
  /** Seconds between asking processes to end and killing them. */
  terminationGracePeriodSeconds?: number | bigint;
  activeDeadlineSeconds?: number | bigint;
  dnsPolicy?: "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";
  /** Labels that the node must have. */
  nodeSelector?: Record<string, string>;
  /** The service account to run as. */
  serviceAccountName?: string;
  serviceAccount?: string;
  automountServiceAccountToken?: boolean;
  /** The node to run on; set when the pod is scheduled. */
  nodeName?: string;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  shareProcessNamespace?: boolean;
  securityContext?: PodSecurityContext;
  imagePullSecrets?: LocalObjectReference[];
  hostname?: string;
  subdomain?: string;
  /** Rules and wishes about the node. */
  affinity?: Affinity;
  schedulerName?: string;
  /** Taints of nodes that the pod puts up with. */
  tolerations?: Toleration[];
  hostAliases?: HostAlias[];
  /** Name of the priority class. */
  priorityClassName?: string;
  priority?: number;
  dnsConfig?: PodDNSConfig;
  readinessGates?: PodReadinessGate[];
  runtimeClassName?: string;
  enableServiceLinks?: boolean;
  preemptionPolicy?: "Never" | "PreemptLowerPriority";
  overhead?: Record<string, string>;
  topologySpreadConstraints?: TopologySpreadConstraint[];
  setHostnameAsFQDN?: boolean;
  os?: PodOS;
  hostUsers?: boolean;
  schedulingGates?: PodSchedulingGate[];
  resourceClaims?: PodResourceClaim[];
}

/** What a pod is right now, as its node last reported. */
export interface PodStatus {
  /** A summary of where the pod is in its life. */
  phase?: "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown";
  /** Observed conditions. */
  conditions?: PodCondition[];
  message?: string;
  reason?: string;
  nominatedNodeName?: string;
  hostIP?: string;
  /** Address of the pod. */
  podIP?: string;
  podIPs?: PodIP[];
  startTime?: string;
  initContainerStatuses?: ContainerStatus[];
  containerStatuses?: ContainerStatus[];
  qosClass?: "BestEffort" | "Burstable" | "Guaranteed";
  ephemeralContainerStatuses?: ContainerStatus[];
  resize?: string;
}

export interface PodStatusResult {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The observed state; written by the system. */
  status?: PodStatus;
}

export interface PodTemplateSpec {
  metadata?: meta_v1.ObjectMeta;
  spec?: PodSpec;
}

export interface PortStatus {
  port?: number;
  protocol?: "SCTP" | "TCP" | "UDP";
  error?: string;
}

export interface PortworxVolumeSource {
  volumeID?: string;
  fsType?: string;
  readOnly?: boolean;
}

export interface PreferredSchedulingTerm {
  weight?: number;
  preference?: NodeSelectorTerm;
}

export interface Probe extends ProbeHandler {
  initialDelaySeconds?: number;
  timeoutSeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  failureThreshold?: number;
  terminationGracePeriodSeconds?: number | bigint;
}

export interface ProbeHandler {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  tcpSocket?: TCPSocketAction;
  grpc?: GRPCAction;
}

export interface ProjectedVolumeSource {
  sources?: VolumeProjection[];
  defaultMode?: number;
}

export interface QuobyteVolumeSource {
  registry?: string;
  volume?: string;
  readOnly?: boolean;
  user?: string;
  group?: string;
  tenant?: string;
}

export interface RBDPersistentVolumeSource {
  monitors?: string[];
  image?: string;
  fsType?: string;
  pool?: string;
  user?: string;
  keyring?: string;
  secretRef?: SecretReference;
  readOnly?: boolean;
}

export interface RBDVolumeSource {
  monitors?: string[];
  image?: string;
  fsType?: string;
  pool?: string;
  user?: string;
  keyring?: string;
  secretRef?: LocalObjectReference;
  readOnly?: boolean;
}

export interface RangeAllocation {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  range?: string;
  data?: string;
}

export interface ReplicationControllerCondition {
  type?: string;
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface ReplicationControllerSpec {
  /** The number of replicas. */
  replicas?: number;
  /** Seconds that a new pod must be ready before it counts as available. */
  minReadySeconds?: number;
  /** Selects the objects concerned by their labels. */
  selector?: Record<string, string>;
  /** What new pods are made from. */
  template?: PodTemplateSpec;
}

export interface ReplicationControllerStatus {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** Observed conditions. */
  conditions?: ReplicationControllerCondition[];
}

/** A request for a resource that a driver provides. */
export interface ResourceClaim {
  name?: string;
}

export interface ResourceFieldSelector {
  containerName?: string;
  resource?: string;
  divisor?: string;
}

export interface ResourceQuotaSpec {
  hard?: Record<string, string>;
  scopes?: ("BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating")[];
  scopeSelector?: ScopeSelector;
}

export interface ResourceQuotaStatus {
  hard?: Record<string, string>;
  used?: Record<string, string>;
}

export interface ResourceRequirements {
  limits?: Record<string, string>;
  requests?: Record<string, string>;
  claims?: ResourceClaim[];
}

export interface SELinuxOptions {
  user?: string;
  role?: string;
  type?: string;
  level?: string;
}

export interface ScaleIOPersistentVolumeSource {
  gateway?: string;
  system?: string;
  secretRef?: SecretReference;
  sslEnabled?: boolean;
  protectionDomain?: string;
  storagePool?: string;
  storageMode?: string;
  volumeName?: string;
  fsType?: string;
  readOnly?: boolean;
}

export interface ScaleIOVolumeSource {
  gateway?: string;
  system?: string;
  secretRef?: LocalObjectReference;
  sslEnabled?: boolean;
  protectionDomain?: string;
  storagePool?: string;
  storageMode?: string;
  volumeName?: string;
  fsType?: string;
  readOnly?: boolean;
}

export interface ScopeSelector {
  matchExpressions?: ScopedResourceSelectorRequirement[];
}

export interface ScopedResourceSelectorRequirement {
  scopeName?: "BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating";
  operator?: "DoesNotExist" | "Exists" | "In" | "NotIn";
  values?: string[];
}

export interface SeccompProfile {
  type?: "Localhost" | "RuntimeDefault" | "Unconfined";
  localhostProfile?: string;
}

export interface SecretEnvSource extends LocalObjectReference {
  optional?: boolean;
}

export interface SecretKeySelector extends LocalObjectReference {
  key?: string;
  optional?: boolean;
}

export interface SecretProjection extends LocalObjectReference {
  items?: KeyToPath[];
  optional?: boolean;
}

export interface SecretReference {
  name?: string;
  namespace?: string;
}

export interface SecretVolumeSource {
  secretName?: string;
  items?: KeyToPath[];
  defaultMode?: number;
  optional?: boolean;
}

export interface SecurityContext {
  capabilities?: Capabilities;
  privileged?: boolean;
  seLinuxOptions?: SELinuxOptions;
  windowsOptions?: WindowsSecurityContextOptions;
  runAsUser?: number | bigint;
  runAsGroup?: number | bigint;
  runAsNonRoot?: boolean;
  readOnlyRootFilesystem?: boolean;
  allowPrivilegeEscalation?: boolean;
  procMount?: "Default" | "Unmasked";
  seccompProfile?: SeccompProfile;
}

export interface SerializedReference {
  apiVersion?: string;
  kind?: string;
  reference?: ObjectReference;
}

export interface ServiceAccountTokenProjection {
  audience?: string;
  expirationSeconds?: number | bigint;
  path?: string;
}

export interface ServicePort {
  name?: string;
  protocol?: "SCTP" | "TCP" | "UDP";
  appProtocol?: string;
  port?: number;
  targetPort?: number | string;
  nodePort?: number;
}

export interface ServiceProxyOptions {
  apiVersion?: string;
  kind?: string;
  path?: string;
}

export interface ServiceSpec {
  /** The ports that the service offers. */
  ports?: ServicePort[];
  /** Labels of the pods behind the service. */
  selector?: Record<string, string>;
  /** Address of the service; "None" for a headless one. */
  clusterIP?: string;
  clusterIPs?: string[];
  /** How the service is exposed. */
  type?: "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort";
  externalIPs?: string[];
  sessionAffinity?: "ClientIP" | "None";
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  externalName?: string;
  externalTrafficPolicy?: "Cluster" | "Local";
  healthCheckNodePort?: number;
  publishNotReadyAddresses?: boolean;
  sessionAffinityConfig?: SessionAffinityConfig;
  ipFamilies?: ("IPv4" | "IPv6")[];
  ipFamilyPolicy?: "PreferDualStack" | "RequireDualStack" | "SingleStack";
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  internalTrafficPolicy?: "Cluster" | "Local";
}

export interface ServiceStatus {
  loadBalancer?: LoadBalancerStatus;
  /** Observed conditions. */
  conditions?: meta_v1.Condition[];
}

export interface SessionAffinityConfig {
  clientIP?: ClientIPConfig;
}

export interface StorageOSPersistentVolumeSource {
  volumeName?: string;
  volumeNamespace?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: ObjectReference;
}

export interface StorageOSVolumeSource {
  volumeName?: string;
  volumeNamespace?: string;
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
}

export interface Sysctl {
  name?: string;
  value?: string;
}

export interface TCPSocketAction {
  port?: number | string;
  host?: string;
}

export interface Taint {
  key?: string;
  value?: string;
  effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  timeAdded?: string;
}

export interface Toleration {
  key?: string;
  operator?: "Equal" | "Exists";
  value?: string;
  effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  tolerationSeconds?: number | bigint;
}

export interface TopologySelectorLabelRequirement {
  key?: string;
  values?: string[];
}

export interface TopologySelectorTerm {
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
}

export interface TopologySpreadConstraint {
  maxSkew?: number;
  topologyKey?: string;
  whenUnsatisfiable?: "DoNotSchedule" | "ScheduleAnyway";
  labelSelector?: meta_v1.LabelSelector;
  minDomains?: number;
  nodeAffinityPolicy?: "Honor" | "Ignore";
  nodeTaintsPolicy?: "Honor" | "Ignore";
  matchLabelKeys?: string[];
}

export interface TypedLocalObjectReference {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

export interface TypedObjectReference {
  apiGroup?: string;
  kind?: string;
  name?: string;
  namespace?: string;
}

export interface Volume extends VolumeSource {
  name?: string;
}

export interface VolumeDevice {
  name?: string;
  devicePath?: string;
}

export interface VolumeMount {
  name?: string;
  readOnly?: boolean;
  mountPath?: string;
  subPath?: string;
  mountPropagation?: "Bidirectional" | "HostToContainer" | "None";
  subPathExpr?: string;
}

export interface VolumeNodeAffinity {
  required?: NodeSelector;
}

export interface VolumeProjection {
  secret?: SecretProjection;
  downwardAPI?: DownwardAPIProjection;
  configMap?: ConfigMapProjection;
  serviceAccountToken?: ServiceAccountTokenProjection;
}

export interface VolumeSource {
  hostPath?: HostPathVolumeSource;
  emptyDir?: EmptyDirVolumeSource;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  gitRepo?: GitRepoVolumeSource;
  secret?: SecretVolumeSource;
  nfs?: NFSVolumeSource;
  iscsi?: ISCSIVolumeSource;
  glusterfs?: GlusterfsVolumeSource;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  rbd?: RBDVolumeSource;
  flexVolume?: FlexVolumeSource;
  cinder?: CinderVolumeSource;
  cephfs?: CephFSVolumeSource;
  flocker?: FlockerVolumeSource;
  downwardAPI?: DownwardAPIVolumeSource;
  fc?: FCVolumeSource;
  azureFile?: AzureFileVolumeSource;
  configMap?: ConfigMapVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  quobyte?: QuobyteVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  projected?: ProjectedVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  scaleIO?: ScaleIOVolumeSource;
  storageos?: StorageOSVolumeSource;
  csi?: CSIVolumeSource;
  ephemeral?: EphemeralVolumeSource;
}

export interface VsphereVirtualDiskVolumeSource {
  volumePath?: string;
  fsType?: string;
  storagePolicyName?: string;
  storagePolicyID?: string;
}

export interface WeightedPodAffinityTerm {
  weight?: number;
  podAffinityTerm?: PodAffinityTerm;
}

export interface WindowsSecurityContextOptions {
  gmsaCredentialSpecName?: string;
  gmsaCredentialSpec?: string;
  runAsUserName?: string;
  hostProcess?: boolean;
}
