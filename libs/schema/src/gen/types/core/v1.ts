// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject } from '@orch/machinery';
import type * as meta_v1 from '../meta/v1.js';

/** Ties one object to another; scheduling a pod binds it to a node. */
export interface Binding {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. Names the pod that is bound. */
  metadata?: meta_v1.ObjectMeta;
  /** The object to bind to: for a pod, a reference of kind Node with the name of the node. */
  target?: ObjectReference;
}

/** Health of one control-plane component. Deprecated: ask the components themselves. */
export interface ComponentStatus {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Observed conditions. One of type Healthy tells whether the component answers. */
  conditions?: ComponentCondition[];
}

/** A collection of ComponentStatus objects. */
export interface ComponentStatusList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ComponentStatus[];
}

/** Configuration data for pods: text and binary values by key. Keys of data and binaryData must differ; all values together hold at most 1 MiB. */
export interface ConfigMap {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** No change of the data is allowed once set. Such an object can only be deleted and made anew. Unset or false: the data may change, and the field may be set to true later. */
  immutable?: boolean;
  /** Text values by key. Keys consist of letters, digits, "-", "_" and "."; none may also stand in binaryData. */
  data?: Record<string, string>;
  /** Binary values by key, base64 in JSON. Takes what is not UTF-8 text. Keys follow the rules of data and may not stand there too. */
  binaryData?: Record<string, string>;
}

/** A collection of ConfigMap objects. */
export interface ConfigMapList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ConfigMap[];
}

/** Addresses and ports that stand behind a service of the same name. */
export interface Endpoints {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The addresses, grouped by the ports that they serve. One address stands in several groups if its ports differ in readiness. */
  subsets?: EndpointSubset[];
}

/** A collection of Endpoints objects. */
export interface EndpointsList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Endpoints[];
}

/** A report of something that happened to an object. Events are kept for a limited time and guide people, not programs. */
export interface Event {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. The namespace must be that of the object concerned. */
  metadata?: meta_v1.ObjectMeta;
  /** The object that the event is about. */
  involvedObject?: ObjectReference;
  /** Why it happened, as one short CamelCase word that programs can compare, such as FailedScheduling. */
  reason?: string;
  /** What happened, as text for people. */
  message?: string;
  /** The component that reports the event, in the older form of events; newer reporters use reportingComponent. */
  source?: EventSource;
  /** When the event was first seen, in the older form of events. */
  firstTimestamp?: string;
  /** When the event was last seen, in the older form of events. */
  lastTimestamp?: string;
  /** How often the event has been seen, in the older form of events; newer reporters use series. */
  count?: number;
  /** Normal for what is expected, Warning for what may need attention. Other values may come to be. */
  type?: string;
  /** When the event was first observed, in microseconds. Set by newer reporters. */
  eventTime?: string;
  /** Tells of the repetitions of the event; unset for one that happened once. */
  series?: EventSeries;
  /** What the reporter did or tried to do about the object, as one CamelCase word. */
  action?: string;
  /** A second object that took part, for instance one that was created or deleted by the action. */
  related?: ObjectReference;
  /** Name of the controller that reports the event, usually qualified by a domain. */
  reportingComponent?: string;
  /** Which instance of the reporting controller it was, for instance the name of its pod. */
  reportingInstance?: string;
}

/** A collection of Event objects. */
export interface EventList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Event[];
}

/** Bounds and defaults for the resources that single objects of a namespace may ask for. */
export interface LimitRange {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. The bounds and defaults; applied to objects as they are created or changed, never to those that exist. */
  spec?: LimitRangeSpec;
}

/** A collection of LimitRange objects. */
export interface LimitRangeList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: LimitRange[];
}

/** A scope for names. Deleting it deletes everything inside. */
export interface Namespace {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. The name is a DNS label of at most 63 characters. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. Holds the finalizers that keep the namespace until it is emptied. */
  spec?: NamespaceSpec;
  /** The observed state; written by the system. Tells whether the namespace is being deleted, and what keeps it from going. */
  status?: NamespaceStatus;
}

/** A collection of Namespace objects. */
export interface NamespaceList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Namespace[];
}

/** A machine that pods run on. */
export interface Node {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. Its labels are what selectors and affinities of pods match. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. Taints, and whether new pods may be scheduled here. */
  spec?: NodeSpec;
  /** The observed state; written by the system. Written by the agent on the node and by node controllers. */
  status?: NodeStatus;
}

/** A collection of Node objects. */
export interface NodeList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Node[];
}

/** A piece of storage of the cluster, with a life of its own apart from the pods that use it. */
export interface PersistentVolume {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. What the storage is, how large it is and who may use it how. */
  spec?: PersistentVolumeSpec;
  /** The observed state; written by the system. Tells whether the volume is free, bound or released. */
  status?: PersistentVolumeStatus;
}

/** A collection of PersistentVolume objects. */
export interface PersistentVolumeList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PersistentVolume[];
}

/** A request for storage by a user; bound to one volume that satisfies it. */
export interface PersistentVolumeClaim {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. Fixed once created, apart from a larger storage request and the binding to a volume. */
  spec?: PersistentVolumeClaimSpec;
  /** The observed state; written by the system. What the claim got, once it is bound. */
  status?: PersistentVolumeClaimStatus;
}

/** A collection of PersistentVolumeClaim objects. */
export interface PersistentVolumeClaimList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PersistentVolumeClaim[];
}

/** A group of containers that run together on one node and share its network address and volumes. */
export interface Pod {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. Mostly fixed once created: images, activeDeadlineSeconds, added tolerations and a few more may change. */
  spec?: PodSpec;
  /** The observed state; written by the system. */
  status?: PodStatus;
}

/** A collection of Pod objects. */
export interface PodList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Pod[];
}

/** A description of pods to be made from it. */
export interface PodTemplate {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The pods that are made from it. */
  template?: PodTemplateSpec;
}

/** A collection of PodTemplate objects. */
export interface PodTemplateList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PodTemplate[];
}

/** Keeps a number of pods running. Deployments and replica sets are its successors. */
export interface ReplicationController {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. Without labels of its own it takes those of the pod template. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ReplicationController[];
}

/** Caps what all objects of a namespace may use together. */
export interface ResourceQuota {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. The caps. */
  spec?: ResourceQuotaSpec;
  /** The observed state; written by the system. The caps in force and what is used of each. */
  status?: ResourceQuotaStatus;
}

/** A collection of ResourceQuota objects. */
export interface ResourceQuotaList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ResourceQuota[];
}

/** Sensitive data by key, at most 1 MiB in all. Whoever may read secrets of the namespace reads the values. */
export interface Secret {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** No change of the data is allowed once set. Such an object can only be deleted and made anew. Unset or false: the data may change, and the field may be set to true later. */
  immutable?: boolean;
  /** Values by key, base64 in JSON. Keys consist of letters, digits, "-", "_" and ".". */
  data?: Record<string, string>;
  /** Values by key as plain text; write-only, folded into data. Where a key stands in both, this value wins. Never returned by reads. */
  stringData?: Record<string, string>;
  /** What the secret is for. Some types demand certain keys. Cannot be changed. */
  type?: string;
}

/** A collection of Secret objects. */
export interface SecretList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Secret[];
}

/** A stable name and address for a set of pods. */
export interface Service {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. Which pods stand behind the service, and how it is reached. */
  spec?: ServiceSpec;
  /** The observed state; written by the system. Addresses that a load balancer gave to the service. */
  status?: ServiceStatus;
}

/** A collection of Service objects. */
export interface ServiceList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Service[];
}

/** An identity for processes that run in pods. */
export interface ServiceAccount {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Secrets that pods of this account may use. They restrict the pods only where the account demands it by annotation. */
  secrets?: ObjectReference[];
  /** Secrets with credentials of image registries, given to pods of this account that name none themselves. */
  imagePullSecrets?: LocalObjectReference[];
  /** Whether pods of this account get an API token mounted; a pod's own field overrides it. Unset means true. */
  automountServiceAccountToken?: boolean;
}

/** A collection of ServiceAccount objects. */
export interface ServiceAccountList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ServiceAccount[];
}

/** An AWS EBS disk, in the same availability zone as the node. Deprecated: use the CSI driver of the disk. */
export interface AWSElasticBlockStoreVolumeSource {
  /** ID of the EBS volume. */
  volumeID?: string;
  /** File system of the disk, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Number of the partition to mount. 0 or unset mounts the disk as a whole. */
  partition?: number;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** Rules and wishes of a pod about where it is scheduled. They are looked at only at scheduling, not later. */
export interface Affinity {
  /** Which nodes the pod must or should run on, by labels of nodes. */
  nodeAffinity?: NodeAffinity;
  /** Which pods the pod must or should run near to. */
  podAffinity?: PodAffinity;
  /** Which pods the pod must or should keep away from. */
  podAntiAffinity?: PodAntiAffinity;
}

/** A volume attached to a node. */
export interface AttachedVolume {
  /** Name of the attached volume. */
  name?: string;
  /** Path of the device on the node. */
  devicePath?: string;
}

/** An Azure data disk. Deprecated: use the CSI driver of the disk. */
export interface AzureDiskVolumeSource {
  /** Name of the disk in its blob storage. */
  diskName?: string;
  /** URI of the disk in its blob storage; for a managed disk its resource ID. */
  diskURI?: string;
  /** How the host caches the disk: None, ReadOnly or ReadWrite. Default ReadWrite. */
  cachingMode?: "None" | "ReadOnly" | "ReadWrite";
  /** File system of the disk, such as ext4, xfs or ntfs. Default ext4. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Shared: a blob in a storage account of several disks; Dedicated: in an account of its own; Managed: a managed disk. Default Shared. */
  kind?: "Dedicated" | "Managed" | "Shared";
}

/** An Azure file share. Deprecated: use the CSI driver of the share. */
export interface AzureFilePersistentVolumeSource {
  /** Secret with the name and key of the storage account. */
  secretName?: string;
  /** Name of the share. */
  shareName?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Namespace of the secret. Unset means that of the claim. */
  secretNamespace?: string;
}

/** An Azure file share. Deprecated: use the CSI driver of the share. */
export interface AzureFileVolumeSource {
  /** Secret with the name and key of the storage account, in the pod's namespace. */
  secretName?: string;
  /** Name of the share. */
  shareName?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** Storage that a Container Storage Interface driver manages. */
export interface CSIPersistentVolumeSource {
  /** Name of the driver. */
  driver?: string;
  /** ID of the volume at its driver; passed in every call about the volume. Cannot be changed. */
  volumeHandle?: string;
  /** Tells the driver to publish the volume for reading only. Default false. */
  readOnly?: boolean;
  /** File system to mount or create, such as ext4 or xfs. The driver has its own default. */
  fsType?: string;
  /** Properties of the volume that its driver returned at creation. */
  volumeAttributes?: Record<string, string>;
  /** Secret passed to the driver when the volume is attached to or detached from a node. */
  controllerPublishSecretRef?: SecretReference;
  /** Secret passed to the driver when a node first prepares the volume. */
  nodeStageSecretRef?: SecretReference;
  /** Secret passed to the driver when the volume is mounted into a pod. */
  nodePublishSecretRef?: SecretReference;
  /** Secret passed to the driver when it grows the volume. */
  controllerExpandSecretRef?: SecretReference;
  /** Secret passed to the driver when a node grows the volume's file system. */
  nodeExpandSecretRef?: SecretReference;
}

/** A volume that a Container Storage Interface driver makes for one pod and removes with it. */
export interface CSIVolumeSource {
  /** Name of the driver. */
  driver?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** File system to mount, such as ext4 or xfs. Unset leaves it to the driver. */
  fsType?: string;
  /** Parameters for the driver; it documents which it knows. */
  volumeAttributes?: Record<string, string>;
  /** Secret in the pod's namespace, passed to the driver when the volume is mounted. */
  nodePublishSecretRef?: LocalObjectReference;
}

/** Linux capabilities that a container gains and loses against the default of its runtime. */
export interface Capabilities {
  /** Capabilities to gain, such as NET_ADMIN. ALL stands for every one. */
  add?: string[];
  /** Capabilities to lose. ALL stands for every one. */
  drop?: string[];
}

/** A Ceph file system. */
export interface CephFSPersistentVolumeSource {
  /** Addresses of Ceph monitors. At least one. */
  monitors?: string[];
  /** Folder within the file system to mount as root. Unset means "/". */
  path?: string;
  /** Ceph user. Unset means admin. */
  user?: string;
  /** File on the node that holds the user's key. Unset means /etc/ceph/user.secret. */
  secretFile?: string;
  /** Secret with the user's key; takes the place of secretFile. */
  secretRef?: SecretReference;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** A Ceph file system. */
export interface CephFSVolumeSource {
  /** Addresses of Ceph monitors. At least one. */
  monitors?: string[];
  /** Folder within the file system to mount as root. Unset means "/". */
  path?: string;
  /** Ceph user. Unset means admin. */
  user?: string;
  /** File on the node that holds the user's key. Unset means /etc/ceph/user.secret. */
  secretFile?: string;
  /** Secret with the user's key; takes the place of secretFile. */
  secretRef?: LocalObjectReference;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** An OpenStack Cinder volume, in the same region as the node. Deprecated: use the CSI driver of the volume. */
export interface CinderPersistentVolumeSource {
  /** ID of the Cinder volume. */
  volumeID?: string;
  /** File system of the volume, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Secret with the parameters for connecting to OpenStack. */
  secretRef?: SecretReference;
}

/** An OpenStack Cinder volume, in the same region as the node. Deprecated: use the CSI driver of the volume. */
export interface CinderVolumeSource {
  /** ID of the Cinder volume. */
  volumeID?: string;
  /** File system of the volume, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Secret with the parameters for connecting to OpenStack. */
  secretRef?: LocalObjectReference;
}

/** Where a resource claim comes from. Exactly one member must be set. */
export interface ClaimSource {
  /** Name of an existing resource claim in the pod's namespace. */
  resourceClaimName?: string;
  /** Name of a template in the pod's namespace. A claim is made from it for the pod and goes when the pod goes. */
  resourceClaimTemplateName?: string;
}

/** Settings of session affinity by client address. */
export interface ClientIPConfig {
  /** Seconds that a client sticks to the same pod, 1 to 86400. Default 10800, three hours. */
  timeoutSeconds?: number;
}

/** A statement about a component. */
export interface ComponentCondition {
  /** Name of the condition. Only Healthy is known. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** What the component said of itself. */
  message?: string;
  /** Error code of a failed check. */
  error?: string;
}

/** Makes an environment variable of every key of a config map. */
export interface ConfigMapEnvSource extends LocalObjectReference {
  /** Whether the config map may be missing. Unset means false: the container waits for it. */
  optional?: boolean;
}

/** One value of a config map. */
export interface ConfigMapKeySelector extends LocalObjectReference {
  /** The key to take. */
  key?: string;
  /** Whether the config map or the key may be missing. Unset means false: the container waits for it. */
  optional?: boolean;
}

/** A config map that configures a node's agent. Deprecated: no longer read. */
export interface ConfigMapNodeConfigSource {
  /** Namespace of the config map. */
  namespace?: string;
  /** Name of the config map. */
  name?: string;
  /** UID of the config map. Only in status. */
  uid?: string;
  /** Version of the config map. Only in status. */
  resourceVersion?: string;
  /** The key whose value is the configuration. */
  kubeletConfigKey?: string;
}

/** Values of a config map as files in a projected volume. */
export interface ConfigMapProjection extends LocalObjectReference {
  /** Keys to show and their paths; keys not listed are left out. Unset: every key becomes a file of its name. */
  items?: KeyToPath[];
  /** Whether the config map or listed keys may be missing. Unset means false: the pod waits for them. */
  optional?: boolean;
}

/** Values of a config map as files. Files follow later changes of the config map, with some delay. */
export interface ConfigMapVolumeSource extends LocalObjectReference {
  /** Keys to show and their paths; keys not listed are left out. Unset: every key becomes a file of its name. */
  items?: KeyToPath[];
  /** Permission bits of files without a mode of their own, 0 to 0777 (JSON: decimal, 0 to 511). Default 0644. */
  defaultMode?: number;
  /** Whether the config map or listed keys may be missing. Unset means false: the pod waits for them. */
  optional?: boolean;
}

/** One container of a pod. */
export interface Container {
  /** Unique among all containers of the pod; a DNS label of at most 63 characters. Cannot be changed. */
  name?: string;
  /** The container image. A reference with an optional tag or digest. Required; may be changed while the pod lives. */
  image?: string;
  /** Replaces the entry point of the image. Not run in a shell. $(NAME) is replaced by the environment variable NAME, $$ stands for $. Unset keeps the image's own. */
  command?: string[];
  /** Arguments of the entry point. Expanded as in command. Unset keeps the arguments of the image, unless command is set. */
  args?: string[];
  /** Folder that the process starts in. Unset means that of the image. */
  workingDir?: string;
  /** Ports that the container listens on. Informative, save for hostPort and for names that services refer to: ports not listed are reachable all the same. */
  ports?: ContainerPort[];
  /** Config maps and secrets whose keys become environment variables. Of equal names the last wins; env wins over all. */
  envFrom?: EnvFromSource[];
  /** Environment variables. In order: values may refer to variables further up. Cannot be changed. */
  env?: EnvVar[];
  /** Compute resources that are needed and allowed. Unset means no guarantee and no bound, unless the namespace has defaults. */
  resources?: ResourceRequirements;
  /** What a change of resources in a running pod does to the container, by resource. Alpha. */
  resizePolicy?: ContainerResizePolicy[];
  /** Volumes of the pod that the container sees in its file system, and where. */
  volumeMounts?: VolumeMount[];
  /** Block volumes of the pod that the container gets as raw devices. */
  volumeDevices?: VolumeDevice[];
  /** Checks that the container is alive; when it fails the container is restarted. Unset counts as alive. */
  livenessProbe?: Probe;
  /** Checks that the container can serve; while it fails services leave the pod out. Unset counts as ready once running. */
  readinessProbe?: Probe;
  /** Checks that the container has started; until it succeeds the other probes wait. When it fails the container is restarted. */
  startupProbe?: Probe;
  /** Hooks to run after the start and before the end of the container. Not for init containers. */
  lifecycle?: Lifecycle;
  /** File in the container whose content becomes the message of its status when it ends, cut to 4096 bytes. Default /dev/termination-log. */
  terminationMessagePath?: string;
  /** File: the message comes from the file alone. FallbackToLogsOnError: from the end of the log if the container fails and the file is empty. Default File. */
  terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
  /** When to pull the image. Always, IfNotPresent or Never. Default Always if the tag is "latest" or there is neither tag nor digest, else IfNotPresent. */
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  /** Privileges of the container. Members set here override those of the pod. */
  securityContext?: SecurityContext;
  /** Keeps standard input open, so that clients can attach to it. Default false: reading it meets its end at once. */
  stdin?: boolean;
  /** Closes standard input after the first client that attached has left. Only with stdin. Default false. */
  stdinOnce?: boolean;
  /** Gives the container a terminal; needs stdin. Default false. */
  tty?: boolean;
}

/** An image that lies on a node. */
export interface ContainerImage {
  /** Names that the image is known by, with tags and digests. */
  names?: string[];
  /** Size of the image in bytes. */
  sizeBytes?: number | bigint;
}

/** A port that a container listens on. */
export interface ContainerPort {
  /** Name of the port, unique in the pod; at most 15 lower-case letters, digits and hyphens. Services can refer to it. */
  name?: string;
  /** Port of the node that leads to the container, 1 to 65535. Unset means none; with hostNetwork it equals containerPort. */
  hostPort?: number;
  /** Port number within the pod, 1 to 65535. */
  containerPort?: number;
  /** TCP, UDP or SCTP. Default TCP. */
  protocol?: "SCTP" | "TCP" | "UDP";
  /** Address of the node that hostPort is bound to. Unset means all. */
  hostIP?: string;
}

/** How a container takes a change of one of its resources. Alpha. */
export interface ContainerResizePolicy {
  /** cpu or memory. */
  resourceName?: string;
  /** NotRequired changes the resource in place; RestartContainer restarts the container. */
  restartPolicy?: string;
}

/** What a container is doing. At most one member is set; none means waiting. */
export interface ContainerState {
  /** Set while the container has not started, for instance while its image is pulled. */
  waiting?: ContainerStateWaiting;
  /** Set while the container runs. */
  running?: ContainerStateRunning;
  /** Set once the container has ended. */
  terminated?: ContainerStateTerminated;
}

/** Details of a container that runs. */
export interface ContainerStateRunning {
  /** When the container was last started. */
  startedAt?: string;
}

/** Details of a container that has ended. */
export interface ContainerStateTerminated {
  /** Exit status of its process; 0 means success. */
  exitCode?: number;
  /** Number of the signal that ended the process, if one did. */
  signal?: number;
  /** Why the container ended, in one word, such as Completed, Error or OOMKilled. */
  reason?: string;
  /** What the container left as its last message. */
  message?: string;
  /** When this run of the container began. */
  startedAt?: string;
  /** When this run of the container ended. */
  finishedAt?: string;
  /** ID of the container, as type://id. */
  containerID?: string;
}

/** Details of a container that has not started. */
export interface ContainerStateWaiting {
  /** Why it waits, in one word, such as ContainerCreating or ImagePullBackOff. */
  reason?: string;
  /** Why it waits, as text for people. */
  message?: string;
}

/** What is known of one container of a pod. */
export interface ContainerStatus {
  /** Name of the container in the pod's spec. */
  name?: string;
  /** What the container is doing now. */
  state?: ContainerState;
  /** How its previous run ended. Empty before the first restart. */
  lastState?: ContainerState;
  /** Whether the readiness probe succeeds; for an init container, whether it has completed. */
  ready?: boolean;
  /** How often the container has been restarted, as far as the node still knows. */
  restartCount?: number;
  /** The image that runs. May be named differently than in the spec. */
  image?: string;
  /** ID of the image that runs, as the runtime gives it. */
  imageID?: string;
  /** ID of the container, as type://id. */
  containerID?: string;
  /** Whether the startup probe has succeeded. Without one: true while the container runs. */
  started?: boolean;
  /** Requests that the node has granted the container. Alpha. */
  allocatedResources?: Record<string, string>;
  /** Requests and limits in force for the running container. Alpha. */
  resources?: ResourceRequirements;
}

/** A port that a daemon of a node listens on. */
export interface DaemonEndpoint {
  /** Port number. */
  Port?: number;
}

/** Facts about the pod as files in a projected volume. */
export interface DownwardAPIProjection {
  /** The files. */
  items?: DownwardAPIVolumeFile[];
}

/** A file that shows a fact about the pod. Exactly one of fieldRef and resourceFieldRef must be set. */
export interface DownwardAPIVolumeFile {
  /** Relative path of the file in the volume, without "..". */
  path?: string;
  /** A field of the pod: its name, namespace, UID, labels or annotations. */
  fieldRef?: ObjectFieldSelector;
  /** A request or limit of one of the pod's containers. */
  resourceFieldRef?: ResourceFieldSelector;
  /** Permission bits of the file, 0 to 0777 (JSON: decimal, 0 to 511). Unset means those of the volume. */
  mode?: number;
}

/** Facts about the pod as files, which follow changes with some delay. */
export interface DownwardAPIVolumeSource {
  /** The files. */
  items?: DownwardAPIVolumeFile[];
  /** Permission bits of files without a mode of their own, 0 to 0777 (JSON: decimal, 0 to 511). Default 0644. */
  defaultMode?: number;
}

/** An empty folder that lives as long as the pod stays on its node; its containers share it. */
export interface EmptyDirVolumeSource {
  /** What backs the folder: unset the disk of the node, Memory a file system in RAM, HugePages or HugePages-SIZE huge pages. */
  medium?: string;
  /** Size that the content may not pass, or the pod is evicted. Unset means no limit of its own; in Memory the containers' memory limits bound it too. */
  sizeLimit?: string;
}

/** An address behind a service. */
export interface EndpointAddress {
  /** IP address. Not loopback, link-local or multicast. */
  ip?: string;
  /** Host name that DNS gives to the address below the name of a headless service. */
  hostname?: string;
  /** Node that the address is on. */
  nodeName?: string;
  /** The object behind the address, usually a pod. */
  targetRef?: ObjectReference;
}

/** A port behind a service. */
export interface EndpointPort {
  /** Name of the service port that it belongs to. May be empty only if there is a single port. */
  name?: string;
  /** Port number, 1 to 65535. */
  port?: number;
  /** TCP, UDP or SCTP. Default TCP. */
  protocol?: "SCTP" | "TCP" | "UDP";
  /** Application protocol of the port, such as http: a registered service name, or a name qualified by a domain. */
  appProtocol?: string;
}

/** Addresses that share a set of ports; every address combined with every port is an endpoint. */
export interface EndpointSubset {
  /** Addresses that are ready to serve. */
  addresses?: EndpointAddress[];
  /** Addresses that are not ready: their pods still start or fail their readiness probes. */
  notReadyAddresses?: EndpointAddress[];
  /** The ports of these addresses. */
  ports?: EndpointPort[];
}

/** Environment variables from a config map or a secret. Exactly one must be named. */
export interface EnvFromSource {
  /** Text put before every key to make the variable's name. */
  prefix?: string;
  /** The config map. */
  configMapRef?: ConfigMapEnvSource;
  /** The secret. */
  secretRef?: SecretEnvSource;
}

/** An environment variable of a container. */
export interface EnvVar {
  /** Name of the variable: letters, digits, "_", "-" and ".", not beginning with a digit. */
  name?: string;
  /** Value of the variable. $(NAME) is replaced by an earlier variable, $$ stands for $. Default empty; not together with valueFrom. */
  value?: string;
  /** Takes the value from elsewhere. Not together with value. */
  valueFrom?: EnvVarSource;
}

/** Where the value of a variable comes from. Exactly one member must be set. */
export interface EnvVarSource {
  /** A field of the pod, such as metadata.name, metadata.labels['KEY'], spec.nodeName or status.podIP. */
  fieldRef?: ObjectFieldSelector;
  /** A request or limit of a container of the pod. */
  resourceFieldRef?: ResourceFieldSelector;
  /** A value of a config map in the pod's namespace. */
  configMapKeyRef?: ConfigMapKeySelector;
  /** A value of a secret in the pod's namespace. */
  secretKeyRef?: SecretKeySelector;
}

/** A container added to a running pod, mostly to look into a problem. It has no guarantees and is never restarted. */
export interface EphemeralContainer extends EphemeralContainerCommon {
  /** Container whose process namespace this one joins, where the runtime can. Unset means its own or the pod's. */
  targetContainerName?: string;
}

/** What an ephemeral container shares with ordinary ones. */
export interface EphemeralContainerCommon {
  /** Unique among all containers of the pod; a DNS label of at most 63 characters. */
  name?: string;
  /** Reference of the container image, with an optional tag or digest. Required. */
  image?: string;
  /** Replaces the entry point of the image; not run in a shell. $(NAME) is replaced by the environment variable NAME, $$ stands for $. Unset keeps the image's own. */
  command?: string[];
  /** Arguments of the entry point, expanded as in command. Unset keeps those of the image, unless command is set. */
  args?: string[];
  /** Folder that the process starts in. Unset means that of the image. */
  workingDir?: string;
  /** Must be unset: not allowed in ephemeral containers. */
  ports?: ContainerPort[];
  /** Config maps and secrets whose keys become environment variables. Of equal names the last wins; env wins over all. */
  envFrom?: EnvFromSource[];
  /** Environment variables, in order: values may refer to variables further up. */
  env?: EnvVar[];
  /** Must be unset: ephemeral containers use what the pod has to spare. */
  resources?: ResourceRequirements;
  /** Must be unset: not allowed in ephemeral containers. */
  resizePolicy?: ContainerResizePolicy[];
  /** Volumes of the pod that the container sees in its file system, and where. Without subPath. */
  volumeMounts?: VolumeMount[];
  /** Block volumes of the pod that the container gets as raw devices. */
  volumeDevices?: VolumeDevice[];
  /** Must be unset: not allowed in ephemeral containers. */
  livenessProbe?: Probe;
  /** Must be unset: not allowed in ephemeral containers. */
  readinessProbe?: Probe;
  /** Must be unset: not allowed in ephemeral containers. */
  startupProbe?: Probe;
  /** Must be unset: not allowed in ephemeral containers. */
  lifecycle?: Lifecycle;
  /** File in the container whose content becomes the message of its status when it ends, cut to 4096 bytes. Default /dev/termination-log. */
  terminationMessagePath?: string;
  /** File: the message comes from the file alone. FallbackToLogsOnError: from the end of the log if the container fails and the file is empty. Default File. */
  terminationMessagePolicy?: "FallbackToLogsOnError" | "File";
  /** When to pull the image: Always, IfNotPresent or Never. Default Always if the tag is "latest" or there is neither tag nor digest, else IfNotPresent. */
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  /** Privileges of the container. Members set here override those of the pod. */
  securityContext?: SecurityContext;
  /** Keeps standard input open, so that clients can attach to it. Default false: reading it meets its end at once. */
  stdin?: boolean;
  /** Closes standard input after the first client that attached has left. Only with stdin. Default false. */
  stdinOnce?: boolean;
  /** Gives the container a terminal; needs stdin. Default false. */
  tty?: boolean;
}

/** A volume provisioned for one pod and deleted with it, through a claim of the pod's own. */
export interface EphemeralVolumeSource {
  /** The claim to make; it is named POD-VOLUME after pod and volume and owned by the pod. Required; cannot be changed. */
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/** The repetitions of an event. */
export interface EventSeries {
  /** How often the event has been seen so far. */
  count?: number;
  /** When the event was last seen, in microseconds. */
  lastObservedTime?: string;
}

/** Who reports an event. */
export interface EventSource {
  /** Name of the component. */
  component?: string;
  /** Node that the component runs on. */
  host?: string;
}

/** Runs a command in the container; exit status 0 means success. */
export interface ExecAction {
  /** Program and arguments, started in the container's root folder without a shell; name a shell where its syntax is needed. */
  command?: string[];
}

/** A Fibre Channel disk. Named by wwids or by targetWWNs with lun, not by both. */
export interface FCVolumeSource {
  /** World wide names of the target. Needs lun. */
  targetWWNs?: string[];
  /** Logical unit number at the target. */
  lun?: number;
  /** File system of the disk, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** World wide identifiers of the disk, in place of targetWWNs and lun. */
  wwids?: string[];
}

/** Storage mounted by a plug-in program on the node. Deprecated: use a CSI driver. */
export interface FlexPersistentVolumeSource {
  /** Name of the plug-in. */
  driver?: string;
  /** File system of the volume, such as ext4 or xfs. Unset leaves it to the plug-in. */
  fsType?: string;
  /** Secret whose values are passed to the plug-in. */
  secretRef?: SecretReference;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Further options for the plug-in. */
  options?: Record<string, string>;
}

/** Storage mounted by a plug-in program on the node. Deprecated: use a CSI driver. */
export interface FlexVolumeSource {
  /** Name of the plug-in. */
  driver?: string;
  /** File system of the volume, such as ext4 or xfs. Unset leaves it to the plug-in. */
  fsType?: string;
  /** Secret whose values are passed to the plug-in. */
  secretRef?: LocalObjectReference;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Further options for the plug-in. */
  options?: Record<string, string>;
}

/** A Flocker dataset. Deprecated: nodes can no longer mount it. Exactly one member must be set. */
export interface FlockerVolumeSource {
  /** Name of the dataset. Deprecated: use datasetUUID. */
  datasetName?: string;
  /** UUID of the dataset. */
  datasetUUID?: string;
}

/** A Google Compute Engine disk, in the same project and zone as the node. Deprecated: use the CSI driver of the disk. */
export interface GCEPersistentDiskVolumeSource {
  /** Name of the disk. */
  pdName?: string;
  /** File system of the disk, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Number of the partition to mount. 0 or unset mounts the disk as a whole. */
  partition?: number;
  /** Mounts the volume for reading only; needed where several nodes use the disk. Default false. */
  readOnly?: boolean;
}

/** Calls the gRPC health service of the container. */
export interface GRPCAction {
  /** Port of the gRPC server, 1 to 65535. */
  port?: number;
  /** Service name put into the health request. Default empty: the server as a whole. */
  service?: string;
}

/** A folder with a clone of a git repository. Deprecated: clone in an init container into an emptyDir. */
export interface GitRepoVolumeSource {
  /** URL of the repository. */
  repository?: string;
  /** Commit to check out. Unset means the head of the default branch. */
  revision?: string;
  /** Folder in the volume that takes the clone; "." is the volume itself. Unset: one with the repository's name. Without "..". */
  directory?: string;
}

/** A GlusterFS volume. Deprecated: nodes can no longer mount it. */
export interface GlusterfsPersistentVolumeSource {
  /** Name of the endpoints object with the servers' addresses. */
  endpoints?: string;
  /** Name of the volume. */
  path?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Namespace of the endpoints object. Unset means that of the claim. */
  endpointsNamespace?: string;
}

/** A GlusterFS volume. Deprecated: nodes can no longer mount it. */
export interface GlusterfsVolumeSource {
  /** Name of the endpoints object with the servers' addresses. */
  endpoints?: string;
  /** Name of the volume. */
  path?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** Sends an HTTP GET request; a status from 200 to 399 means success. */
export interface HTTPGetAction {
  /** Path of the request. Default "/". */
  path?: string;
  /** Port of the container by number, 1 to 65535, or by name. */
  port?: number | string;
  /** Host to connect to. Unset means the pod's address; to set a virtual host use a Host header instead. */
  host?: string;
  /** HTTP or HTTPS; certificates are not verified. Default HTTP. */
  scheme?: "HTTP" | "HTTPS";
  /** Headers to add to the request. A name may stand several times. */
  httpHeaders?: HTTPHeader[];
}

/** A header of a request. */
export interface HTTPHeader {
  /** Name of the header. */
  name?: string;
  /** Value of the header. */
  value?: string;
}

/** A line of a pod's hosts file. */
export interface HostAlias {
  /** IP address. */
  ip?: string;
  /** Names for the address. */
  hostnames?: string[];
}

/** A file or folder of the node. Pods that use it see, and may change, the node's own files. */
export interface HostPathVolumeSource {
  /** Path on the node. Symbolic links are followed. Without "..". */
  path?: string;
  /** What must be at the path; the kinds with OrCreate make it where it is missing. Default empty: nothing is checked. */
  type?: "" | "BlockDevice" | "CharDevice" | "Directory" | "DirectoryOrCreate" | "File" | "FileOrCreate" | "Socket";
}

/** An iSCSI disk. Several pods may read it; only one may write. */
export interface ISCSIPersistentVolumeSource {
  /** Address of the target, as IP or IP:port. Port 3260 if none is given. */
  targetPortal?: string;
  /** Qualified name of the target. */
  iqn?: string;
  /** Logical unit number at the target, 0 to 255. */
  lun?: number;
  /** iSCSI interface (transport) to use. Default "default", which is TCP. */
  iscsiInterface?: string;
  /** File system of the disk, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Further addresses of the target for multipath, as IP or IP:port. */
  portals?: string[];
  /** Authenticates by CHAP while discovering targets; needs secretRef. Default false. */
  chapAuthDiscovery?: boolean;
  /** Authenticates by CHAP in sessions; needs secretRef. Default false. */
  chapAuthSession?: boolean;
  /** Secret with the CHAP credentials of target and initiator. */
  secretRef?: SecretReference;
  /** Qualified name that the node presents itself by. Unset means the name that the node is configured with. */
  initiatorName?: string;
}

/** An iSCSI disk. Several pods may read it; only one may write. */
export interface ISCSIVolumeSource {
  /** Address of the target, as IP or IP:port. Port 3260 if none is given. */
  targetPortal?: string;
  /** Qualified name of the target. */
  iqn?: string;
  /** Logical unit number at the target, 0 to 255. */
  lun?: number;
  /** iSCSI interface (transport) to use. Default "default", which is TCP. */
  iscsiInterface?: string;
  /** File system of the disk, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Further addresses of the target for multipath, as IP or IP:port. */
  portals?: string[];
  /** Authenticates by CHAP while discovering targets; needs secretRef. Default false. */
  chapAuthDiscovery?: boolean;
  /** Authenticates by CHAP in sessions; needs secretRef. Default false. */
  chapAuthSession?: boolean;
  /** Secret with the CHAP credentials of target and initiator. */
  secretRef?: LocalObjectReference;
  /** Qualified name that the node presents itself by. Unset means the name that the node is configured with. */
  initiatorName?: string;
}

/** A key shown as a file. */
export interface KeyToPath {
  /** The key to show. */
  key?: string;
  /** Relative path of the file in the volume, without "..". */
  path?: string;
  /** Permission bits of the file, 0 to 0777 (JSON: decimal, 0 to 511). Unset means those of the volume. */
  mode?: number;
}

/** Hooks that run in a container at turns of its life. The container waits for them. */
export interface Lifecycle {
  /** Runs right after the container was created, beside its own process. If it fails, the container is killed and its restart policy applies. */
  postStart?: LifecycleHandler;
  /** Runs before the container is stopped, within the grace period. Not run when the container ends by itself. */
  preStop?: LifecycleHandler;
}

/** What a hook does. Exactly one member must be set. */
export interface LifecycleHandler {
  /** Runs a command in the container. */
  exec?: ExecAction;
  /** Sends an HTTP request. */
  httpGet?: HTTPGetAction;
  /** Deprecated: accepted, but a hook of this kind fails when it runs. */
  tcpSocket?: TCPSocketAction;
}

/** Bounds and defaults for one type of object. Quantities are by resource, such as cpu, memory or storage. */
export interface LimitRangeItem {
  /** What the item applies to: Container, Pod or PersistentVolumeClaim. */
  type?: string;
  /** Most that one object may ask for. Limits may not pass it. */
  max?: Record<string, string>;
  /** Least that one object must ask for. */
  min?: Record<string, string>;
  /** Limits for containers that set none. Only for type Container; where unset, max takes its place. */
  default?: Record<string, string>;
  /** Requests for containers that set none. Only for type Container; where unset, default or else min takes its place. */
  defaultRequest?: Record<string, string>;
  /** How many times the request the limit may be at most. Where it is set, objects must have both, not zero. */
  maxLimitRequestRatio?: Record<string, string>;
}

/** The bounds of a namespace. */
export interface LimitRangeSpec {
  /** The bounds and defaults, by type of object. */
  limits?: LimitRangeItem[];
}

/** A collection of objects. */
export interface List {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: JsonObject[];
}

/** One way in through a load balancer. */
export interface LoadBalancerIngress {
  /** IP address of the load balancer, if it works by address. */
  ip?: string;
  /** DNS name of the load balancer, if it works by name. */
  hostname?: string;
  /** State of the service's ports at the load balancer. */
  ports?: PortStatus[];
}

/** What a load balancer offers. */
export interface LoadBalancerStatus {
  /** Addresses that lead to the service. Empty until the load balancer is ready. */
  ingress?: LoadBalancerIngress[];
}

/** Names an object of the same namespace. */
export interface LocalObjectReference {
  /** Name of the object. */
  name?: string;
}

/** A disk, partition or folder of one node. The volume needs a node affinity. */
export interface LocalVolumeSource {
  /** Path on the node, of a folder or a block device. */
  path?: string;
  /** File system of a block device, such as ext4, xfs or ntfs. Unset: chosen by the node. Not used for folders. */
  fsType?: string;
}

/** A share of an NFS server; it keeps its content when the pod goes. */
export interface NFSVolumeSource {
  /** Host name or IP address of the server. */
  server?: string;
  /** Absolute path that the server exports. */
  path?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** A statement about the deletion of a namespace. */
export interface NamespaceCondition {
  /** Name of the condition, such as NamespaceContentRemaining or NamespaceFinalizersRemaining. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** Why the condition has its status, in one CamelCase word. */
  reason?: string;
  /** Why the condition has its status, as text for people. */
  message?: string;
}

/** What a namespace should be. */
export interface NamespaceSpec {
  /** What must be done before the namespace may go. Changed only through the finalize subresource. */
  finalizers?: string[];
}

/** What a namespace is. */
export interface NamespaceStatus {
  /** Active, or Terminating once it is being deleted: nothing new can be created in it then. */
  phase?: "Active" | "Terminating";
  /** Observed conditions. They tell what keeps a namespace from going. */
  conditions?: NamespaceCondition[];
}

/** An address of a node. */
export interface NodeAddress {
  /** Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS. */
  type?: string;
  /** The address or name. */
  address?: string;
}

/** Rules and wishes about the node of a pod. */
export interface NodeAffinity {
  /** Nodes that do not match are never chosen. Pods stay where they are when labels change later. */
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
  /** Matching nodes are preferred: the weights of all matching terms are added up. */
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
}

/** A statement about the health of a node. */
export interface NodeCondition {
  /** Name of the condition: Ready, MemoryPressure, DiskPressure, PIDPressure, NetworkUnavailable or another. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition was last reported. */
  lastHeartbeatTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** Why the status last changed, in one CamelCase word. */
  reason?: string;
  /** Why the status last changed, as text for people. */
  message?: string;
}

/** Where a node's agent takes its configuration from. Deprecated: no longer read. */
export interface NodeConfigSource {
  /** A config map with the configuration. */
  configMap?: ConfigMapNodeConfigSource;
}

/** State of a configuration set through configSource. Deprecated: no longer written. */
export interface NodeConfigStatus {
  /** The configuration that the node should use. */
  assigned?: NodeConfigSource;
  /** The configuration that the node uses. */
  active?: NodeConfigSource;
  /** The configuration to fall back to when the assigned one fails. */
  lastKnownGood?: NodeConfigSource;
  /** What is wrong with the assigned configuration. */
  error?: string;
}

/** Ports of daemons on a node. */
export interface NodeDaemonEndpoints {
  /** Where the node's agent listens; logs and exec go there. */
  kubeletEndpoint?: DaemonEndpoint;
}

/** Parameters of requests passed on to a node. */
export interface NodeProxyOptions {
  apiVersion?: string;
  kind?: string;
  /** Path of the passed request at the node's agent. */
  path?: string;
}

/** A choice of nodes. */
export interface NodeSelector {
  /** A node matches if any of the terms does. At least one. */
  nodeSelectorTerms?: NodeSelectorTerm[];
}

/** A condition on one label or field of nodes. */
export interface NodeSelectorRequirement {
  /** Key of the label, or the name of the field. */
  key?: string;
  /** How values are compared: In, NotIn, Exists, DoesNotExist, Gt or Lt. */
  operator?: "DoesNotExist" | "Exists" | "Gt" | "In" | "Lt" | "NotIn";
  /** In and NotIn need at least one value, Gt and Lt exactly one integer, Exists and DoesNotExist none. */
  values?: string[];
}

/** Conditions that must all hold. A term without any matches no node. */
export interface NodeSelectorTerm {
  /** Conditions on labels of the node. */
  matchExpressions?: NodeSelectorRequirement[];
  /** Conditions on fields of the node; metadata.name is the only one. */
  matchFields?: NodeSelectorRequirement[];
}

/** What a node should be. */
export interface NodeSpec {
  /** Range that addresses of the node's pods come from, in CIDR form. Set once; equals the first of podCIDRs. */
  podCIDR?: string;
  /** Ranges that addresses of the node's pods come from, at most one IPv4 and one IPv6. Set once. */
  podCIDRs?: string[];
  /** ID of the machine at its cloud provider, as provider://id. Cannot be changed once set. */
  providerID?: string;
  /** Keeps new pods from being scheduled here; running pods stay. Default false. */
  unschedulable?: boolean;
  /** Marks that keep away pods that do not tolerate them. */
  taints?: Taint[];
  /** Deprecated: no longer used. */
  configSource?: NodeConfigSource;
  /** Deprecated: no longer used. */
  externalID?: string;
}

/** What a node is, as its agent last reported. */
export interface NodeStatus {
  /** All resources of the node, by name. */
  capacity?: Record<string, string>;
  /** Resources that pods may use: the capacity without what is reserved. Unset means the capacity. */
  allocatable?: Record<string, string>;
  /** Deprecated: never set; see the conditions. */
  phase?: "Pending" | "Running" | "Terminated";
  /** Observed conditions. Ready tells whether the node can run pods. */
  conditions?: NodeCondition[];
  /** Addresses that the node is reached at. */
  addresses?: NodeAddress[];
  /** Ports of daemons on the node. */
  daemonEndpoints?: NodeDaemonEndpoints;
  /** IDs and versions of the node's system. */
  nodeInfo?: NodeSystemInfo;
  /** Images that lie on the node; possibly only the largest ones. */
  images?: ContainerImage[];
  /** Attachable volumes that are mounted on the node. */
  volumesInUse?: string[];
  /** Volumes attached to the node. */
  volumesAttached?: AttachedVolume[];
  /** Deprecated: no longer written. */
  config?: NodeConfigStatus;
}

/** IDs and versions of a node's system. */
export interface NodeSystemInfo {
  /** ID of the installed operating system, from /etc/machine-id on Linux. */
  machineID?: string;
  /** ID of the hardware, as its firmware reports it. */
  systemUUID?: string;
  /** ID that is new with every boot. */
  bootID?: string;
  /** Version of the kernel. */
  kernelVersion?: string;
  /** Name and version of the operating system. */
  osImage?: string;
  /** Runtime and version, as runtime://version. */
  containerRuntimeVersion?: string;
  /** Version of the node's agent. */
  kubeletVersion?: string;
  /** Version of the node's service proxy. */
  kubeProxyVersion?: string;
  /** linux or windows. */
  operatingSystem?: string;
  /** Architecture of the processor, such as amd64 or arm64. */
  architecture?: string;
}

/** One field of a pod. */
export interface ObjectFieldSelector {
  /** Version of the API that fieldPath is written for. Default v1. */
  apiVersion?: string;
  /** Path of the field, such as metadata.name or metadata.annotations['KEY']. */
  fieldPath?: string;
}

/** Points to an object. How much of it is set depends on where it stands. */
export interface ObjectReference {
  /** Kind of the object. */
  kind?: string;
  /** Namespace of the object; unset for objects of the cluster. */
  namespace?: string;
  /** Name of the object. */
  name?: string;
  /** UID of the object; tells it from others of the same name. */
  uid?: string;
  /** Group and version of the object's API. */
  apiVersion?: string;
  /** Version of the object that is meant, if a certain one is. */
  resourceVersion?: string;
  /** Part of the object that is meant, such as spec.containers{NAME}. Unset means the whole. */
  fieldPath?: string;
}

/** A statement about a claim. */
export interface PersistentVolumeClaimCondition {
  /** Name of the condition, such as Resizing or FileSystemResizePending. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition was last checked. */
  lastProbeTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** Why the status last changed, in one CamelCase word. */
  reason?: string;
  /** Why the status last changed, as text for people. */
  message?: string;
}

/** What storage a claim asks for. Fixed once created, apart from a larger request and the binding. */
export interface PersistentVolumeClaimSpec {
  /** How the volume is to be used, at least one: ReadWriteOnce (one node), ReadOnlyMany, ReadWriteMany or ReadWriteOncePod (one pod). */
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  /** Selects the objects concerned by their labels. Here: labels that the volume must have. Unset means any. */
  selector?: meta_v1.LabelSelector;
  /** Size to ask for, as requests.storage. May grow later if the storage class allows it, never shrink. */
  resources?: ResourceRequirements;
  /** Volume that the claim is bound to. Set by the system, or beforehand to ask for a certain volume. */
  volumeName?: string;
  /** Class of storage to ask for. Unset means the default class; empty means a volume without class, never a new one. */
  storageClassName?: string;
  /** Filesystem for a mounted file system, Block for a raw device. Default Filesystem. */
  volumeMode?: "Block" | "Filesystem";
  /** Content to start with: a snapshot or another claim of the namespace. Kept equal to dataSourceRef where both can say it. */
  dataSource?: TypedLocalObjectReference;
  /** Content to start with: any object that a populator knows. Kept equal to dataSource where both can say it. */
  dataSourceRef?: TypedObjectReference;
}

/** What a claim got. */
export interface PersistentVolumeClaimStatus {
  /** Pending until a volume is found, Bound, or Lost when the volume is gone. */
  phase?: "Bound" | "Lost" | "Pending";
  /** Access modes of the bound volume. */
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  /** Actual size of the bound volume. */
  capacity?: Record<string, string>;
  /** Observed conditions. They tell how a growth of the volume gets on. */
  conditions?: PersistentVolumeClaimCondition[];
  /** Size that is being provided while the volume grows; may be larger than the capacity. Alpha. */
  allocatedResources?: Record<string, string>;
  /** How a growth of the volume gets on; empty when none is under way. Alpha. */
  resizeStatus?: "" | "ControllerExpansionFailed" | "ControllerExpansionInProgress" | "NodeExpansionFailed" | "NodeExpansionInProgress" | "NodeExpansionPending";
}

/** A description of claims to be made from it. */
export interface PersistentVolumeClaimTemplate {
  /** Labels and annotations that the claim gets; nothing else may be set. */
  metadata?: meta_v1.ObjectMeta;
  /** What the claim asks for, copied as it is. */
  spec?: PersistentVolumeClaimSpec;
}

/** The volume of a claim in the pod's namespace. */
export interface PersistentVolumeClaimVolumeSource {
  /** Name of the claim. */
  claimName?: string;
  /** Mounts the volume for reading only, wherever it is mounted. Default false. */
  readOnly?: boolean;
}

/** What the storage of a volume is. Exactly one member must be set; it cannot be changed. */
export interface PersistentVolumeSource {
  /** A Google Compute Engine disk. Deprecated: use a CSI driver. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /** An AWS EBS disk. Deprecated: use a CSI driver. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /** A folder of the node. Only for trials on a single node. */
  hostPath?: HostPathVolumeSource;
  /** A GlusterFS volume. Deprecated: nodes can no longer mount it. */
  glusterfs?: GlusterfsPersistentVolumeSource;
  /** A share of an NFS server. */
  nfs?: NFSVolumeSource;
  /** A Ceph block device. */
  rbd?: RBDPersistentVolumeSource;
  /** An iSCSI disk. */
  iscsi?: ISCSIPersistentVolumeSource;
  /** An OpenStack Cinder volume. Deprecated: use a CSI driver. */
  cinder?: CinderPersistentVolumeSource;
  /** A Ceph file system. */
  cephfs?: CephFSPersistentVolumeSource;
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource;
  /** A Flocker dataset. Deprecated: nodes can no longer mount it. */
  flocker?: FlockerVolumeSource;
  /** Storage mounted by a plug-in program. Deprecated: use a CSI driver. */
  flexVolume?: FlexPersistentVolumeSource;
  /** An Azure file share. Deprecated: use a CSI driver. */
  azureFile?: AzureFilePersistentVolumeSource;
  /** A vSphere disk. Deprecated: use a CSI driver. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /** A Quobyte volume. Deprecated: nodes can no longer mount it. */
  quobyte?: QuobyteVolumeSource;
  /** An Azure data disk. Deprecated: use a CSI driver. */
  azureDisk?: AzureDiskVolumeSource;
  /** A Photon Controller disk. Deprecated: nodes can no longer mount it. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** A Portworx volume. Deprecated: use a CSI driver. */
  portworxVolume?: PortworxVolumeSource;
  /** A ScaleIO volume. Deprecated: nodes can no longer mount it. */
  scaleIO?: ScaleIOPersistentVolumeSource;
  /** A disk or folder of one node. */
  local?: LocalVolumeSource;
  /** A StorageOS volume. Deprecated: nodes can no longer mount it. */
  storageos?: StorageOSPersistentVolumeSource;
  /** Storage that a CSI driver manages. */
  csi?: CSIPersistentVolumeSource;
}

/** What a volume is and how it may be used. */
export interface PersistentVolumeSpec extends PersistentVolumeSource {
  /** Size of the volume, as storage. */
  capacity?: Record<string, string>;
  /** How the volume can be used: ReadWriteOnce (one node), ReadOnlyMany, ReadWriteMany or ReadWriteOncePod (one pod). */
  accessModes?: ("ReadOnlyMany" | "ReadWriteMany" | "ReadWriteOnce" | "ReadWriteOncePod")[];
  /** The claim that the volume is bound to. Set by the system, or beforehand to reserve the volume. */
  claimRef?: ObjectReference;
  /** What happens once the claim is gone: Retain keeps the volume, Delete deletes it and its storage, Recycle (deprecated) empties it. Default Retain. */
  persistentVolumeReclaimPolicy?: "Delete" | "Recycle" | "Retain";
  /** Class that the volume belongs to. Unset means none: only claims that ask for none get it. */
  storageClassName?: string;
  /** Options for mounting, such as ro or soft. Not checked: with wrong ones the mount fails. */
  mountOptions?: string[];
  /** Filesystem for a mounted file system, Block for a raw device. Default Filesystem. Cannot be changed. */
  volumeMode?: "Block" | "Filesystem";
  /** Nodes that can reach the volume; pods that use it run only there. Unset means all nodes. */
  nodeAffinity?: VolumeNodeAffinity;
}

/** What state a volume is in. */
export interface PersistentVolumeStatus {
  /** Pending, Available for a claim, Bound, Released once its claim is gone, or Failed to be reclaimed. */
  phase?: "Available" | "Bound" | "Failed" | "Pending" | "Released";
  /** Why the volume is in its phase, as text for people. */
  message?: string;
  /** Why a volume failed, in one CamelCase word. */
  reason?: string;
}

/** A Photon Controller disk. Deprecated: nodes can no longer mount it. */
export interface PhotonPersistentDiskVolumeSource {
  /** ID of the disk. */
  pdID?: string;
  /** File system of the disk, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
}

/** Rules and wishes about pods to be near to. */
export interface PodAffinity {
  /** Every term must hold for a node to be chosen. Later changes do not move the pod. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  /** Nodes where terms hold are preferred: the weights of those terms are added up. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
}

/** Chooses pods, and says what counts as the same place. */
export interface PodAffinityTerm {
  /** Labels of the pods that are meant. Unset means no pods, empty means all. */
  labelSelector?: meta_v1.LabelSelector;
  /** Namespaces to look for pods in, together with those of namespaceSelector. Both unset means the pod's own. */
  namespaces?: string[];
  /** Node label that defines places: nodes with the same value are one place. Must not be empty. */
  topologyKey?: string;
  /** Labels of further namespaces to look for pods in. Empty means all namespaces. */
  namespaceSelector?: meta_v1.LabelSelector;
}

/** Rules and wishes about pods to keep away from. */
export interface PodAntiAffinity {
  /** A node is never chosen where any of the terms finds a pod in its place. Later changes do not move the pod. */
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
  /** Nodes where terms find pods are avoided: the weights of those terms are added up. */
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
}

/** Parameters of attaching to a running container. */
export interface PodAttachOptions {
  apiVersion?: string;
  kind?: string;
  /** Connects standard input. Default false. */
  stdin?: boolean;
  /** Connects standard output. */
  stdout?: boolean;
  /** Connects standard error. */
  stderr?: boolean;
  /** Treats the connection as a terminal; for containers that have one. Default false. */
  tty?: boolean;
  /** Name of the container. May be left out if the pod has only one. */
  container?: string;
}

/** A statement about a pod. */
export interface PodCondition {
  /** Name of the condition: PodScheduled, Initialized, ContainersReady, Ready, DisruptionTarget or one of readiness gates. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition was last checked. */
  lastProbeTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** Why the status last changed, in one CamelCase word. */
  reason?: string;
  /** Why the status last changed, as text for people. */
  message?: string;
}

/** DNS settings of a pod, merged with those that its DNS policy brings. */
export interface PodDNSConfig {
  /** Addresses of further name servers, put after the others. At most 3 in all; at least one for policy None. */
  nameservers?: string[];
  /** Further domains to look short names up in, put after the others. */
  searches?: string[];
  /** Further resolver options; of equal names these win. */
  options?: PodDNSConfigOption[];
}

/** An option of the resolver. */
export interface PodDNSConfigOption {
  /** Name of the option, such as ndots. */
  name?: string;
  /** Value of the option, if it takes one. */
  value?: string;
}

/** Parameters of running a command in a container. */
export interface PodExecOptions {
  apiVersion?: string;
  kind?: string;
  /** Connects standard input. Default false. */
  stdin?: boolean;
  /** Connects standard output. */
  stdout?: boolean;
  /** Connects standard error. */
  stderr?: boolean;
  /** Gives the command a terminal. Default false. */
  tty?: boolean;
  /** Name of the container. May be left out if the pod has only one. */
  container?: string;
  /** Program and arguments; not run in a shell. */
  command?: string[];
}

/** An address of a pod. */
export interface PodIP {
  /** IP address, IPv4 or IPv6. */
  ip?: string;
}

/** Parameters of reading the log of a container. */
export interface PodLogOptions {
  apiVersion?: string;
  kind?: string;
  /** Name of the container. May be left out if the pod has only one. */
  container?: string;
  /** Keeps the response open and sends new lines as they come. Default false. */
  follow?: boolean;
  /** Reads the log of the run before the last restart. Default false. */
  previous?: boolean;
  /** Only lines of the last so many seconds; at least 1. Not together with sinceTime. */
  sinceSeconds?: number | bigint;
  /** Only lines from this time on. Not together with sinceSeconds. */
  sinceTime?: string;
  /** Puts the time before each line. Default false. */
  timestamps?: boolean;
  /** Only so many lines from the end. Unset means from the beginning, or from the since parameters. */
  tailLines?: number | bigint;
  /** Ends the response after so many bytes; at least 1. Unset means no limit. */
  limitBytes?: number | bigint;
  /** Does not verify the certificate of the node that serves the log. Default false. */
  insecureSkipTLSVerifyBackend?: boolean;
}

/** The operating system of a pod. */
export interface PodOS {
  /** linux or windows. */
  name?: string;
}

/** Parameters of forwarding ports to a pod. */
export interface PodPortForwardOptions {
  apiVersion?: string;
  kind?: string;
  /** Ports of the pod to forward to; needed for connections over WebSocket. */
  ports?: number[];
}

/** Parameters of requests passed on to a pod. */
export interface PodProxyOptions {
  apiVersion?: string;
  kind?: string;
  /** Path of the passed request at the pod. */
  path?: string;
}

/** A further condition that a pod needs to be ready. */
export interface PodReadinessGate {
  /** Type of the condition in the pod's status; somebody outside sets it. */
  conditionType?: string;
}

/** A resource claim that a pod uses. Alpha. */
export interface PodResourceClaim {
  /** Name that containers refer to it by; a DNS label, unique in the pod. */
  name?: string;
  /** Where the claim comes from. */
  source?: ClaimSource;
}

/** Holds back the scheduling of a pod. */
export interface PodSchedulingGate {
  /** Name of the gate; unique in the pod. */
  name?: string;
}

/** Privileges of all containers of a pod. A container's own settings override them. */
export interface PodSecurityContext {
  /** SELinux context of the containers. Unset: chosen by the runtime. Linux only. */
  seLinuxOptions?: SELinuxOptions;
  /** Settings for Windows. Not for pods with os linux. */
  windowsOptions?: WindowsSecurityContextOptions;
  /** User ID that processes run as. Unset means the user of the image. Linux only. */
  runAsUser?: number | bigint;
  /** Group ID that processes run as. Unset: chosen by the runtime. Linux only. */
  runAsGroup?: number | bigint;
  /** Refuses to start containers that would run as root (user ID 0). Unset means no check. */
  runAsNonRoot?: boolean;
  /** Further group IDs of the processes, besides runAsGroup and fsGroup. Linux only. */
  supplementalGroups?: (number | bigint)[];
  /** Group ID that owns volumes which support it and joins the groups of the processes. Unset leaves volumes as they are. Linux only. */
  fsGroup?: number | bigint;
  /** Kernel parameters set for the pod. Nodes refuse pods with parameters that they do not allow. Linux only. */
  sysctls?: Sysctl[];
  /** When files of volumes are handed to fsGroup: Always, or OnRootMismatch only if the top folder does not fit. Unset means Always. */
  fsGroupChangePolicy?: "Always" | "OnRootMismatch";
  /** Filter of system calls for the containers. Linux only. */
  seccompProfile?: SeccompProfile;
}

/** What a pod should be. */
export interface PodSpec {
  /** Volumes that containers may mount. Names are unique in the pod. Unset means none. */
  volumes?: Volume[];
  /** Run one after the other to completion before the containers start. One that fails is run again, unless restartPolicy is Never: then the pod fails. */
  initContainers?: Container[];
  /** At least one. Cannot be added or removed later. */
  containers?: Container[];
  /** Containers added later to look into problems. Only through the ephemeralcontainers subresource; never changed or removed. */
  ephemeralContainers?: EphemeralContainer[];
  /** When containers are started again. Always, OnFailure or Never; for all containers of the pod, on the same node. Default Always. */
  restartPolicy?: "Always" | "Never" | "OnFailure";
  /** Seconds between asking processes to end and killing them. Default 30; 0 kills at once. */
  terminationGracePeriodSeconds?: number | bigint;
  /** Seconds after its start that the pod is stopped and fails. Unset means no deadline; may be set or lowered later. */
  activeDeadlineSeconds?: number | bigint;
  /** Default: the node's DNS. ClusterFirst: the cluster's. ClusterFirstWithHostNet: likewise for hostNetwork. None: dnsConfig alone. Default ClusterFirst. */
  dnsPolicy?: "ClusterFirst" | "ClusterFirstWithHostNet" | "Default" | "None";
  /** Labels that the node must have. All of them. Unset means any node. */
  nodeSelector?: Record<string, string>;
  /** The service account to run as. Must exist in the namespace. Unset means "default". */
  serviceAccountName?: string;
  /** Deprecated: use serviceAccountName, which this field mirrors. */
  serviceAccount?: string;
  /** Whether an API token of the service account is mounted. Unset means what the account says, else true. */
  automountServiceAccountToken?: boolean;
  /** The node to run on; set when the pod is scheduled. Setting it at creation passes by the scheduler. */
  nodeName?: string;
  /** Uses the network of the node: its address and its ports. Default false. */
  hostNetwork?: boolean;
  /** Sees the processes of the node. Default false; not with shareProcessNamespace. */
  hostPID?: boolean;
  /** Shares the inter-process communication of the node. Default false. */
  hostIPC?: boolean;
  /** Lets the containers of the pod see each other's processes. Default false; not with hostPID. */
  shareProcessNamespace?: boolean;
  /** Privileges for all containers and ownership of volumes. Default empty. */
  securityContext?: PodSecurityContext;
  /** Secrets of the namespace with credentials of image registries. Unset means those of the service account. */
  imagePullSecrets?: LocalObjectReference[];
  /** Host name of the pod; a DNS label. Unset means the name of the pod. */
  hostname?: string;
  /** Makes the full host name HOSTNAME.SUBDOMAIN.NAMESPACE.svc.CLUSTER-DOMAIN. Unset means none. */
  subdomain?: string;
  /** Rules and wishes about the node. By labels of nodes, or by the pods that run on them. */
  affinity?: Affinity;
  /** Scheduler that places the pod. Default default-scheduler. */
  schedulerName?: string;
  /** Taints of nodes that the pod puts up with. May be added to later. */
  tolerations?: Toleration[];
  /** Lines added to the hosts file of the containers. */
  hostAliases?: HostAlias[];
  /** Name of the priority class. Unset means the default class, or priority 0 if there is none. */
  priorityClassName?: string;
  /** Higher pods are scheduled first and may push out lower ones. Taken from the priority class; users cannot choose it. */
  priority?: number;
  /** DNS settings in addition to dnsPolicy, or all of them for policy None. */
  dnsConfig?: PodDNSConfig;
  /** Conditions that must be True, besides ready containers, before the pod is ready. */
  readinessGates?: PodReadinessGate[];
  /** Runtime class that runs the pod; pods of an unknown class do not run. Unset means the node's usual runtime. */
  runtimeClassName?: string;
  /** Gives containers environment variables with the addresses of the namespace's services. Default true. */
  enableServiceLinks?: boolean;
  /** PreemptLowerPriority: may push out pods of lower priority. Never: waits for room instead. Default PreemptLowerPriority. */
  preemptionPolicy?: "Never" | "PreemptLowerPriority";
  /** Resources that the runtime needs on top of the containers. Set from the runtime class. */
  overhead?: Record<string, string>;
  /** How evenly pods of a group are spread over places. All must hold. */
  topologySpreadConstraints?: TopologySpreadConstraint[];
  /** Makes the full domain name the host name that the kernel reports. Default false. */
  setHostnameAsFQDN?: boolean;
  /** Operating system of the containers. If set, fields that it does not know must be unset. */
  os?: PodOS;
  /** Whether the pod uses the node's user IDs; false maps them to others. Unset means true. Alpha. */
  hostUsers?: boolean;
  /** While any is left the pod is not scheduled. Set at creation; later they can only be removed. */
  schedulingGates?: PodSchedulingGate[];
  /** Resource claims to be reserved before the pod starts; containers name those that they use. Alpha. Cannot be changed. */
  resourceClaims?: PodResourceClaim[];
}

/** What a pod is right now, as its node last reported. */
export interface PodStatus {
  /** A summary of where the pod is in its life. Pending, Running, Succeeded (all containers ended well), Failed, or Unknown when the node cannot be reached. */
  phase?: "Failed" | "Pending" | "Running" | "Succeeded" | "Unknown";
  /** Observed conditions. */
  conditions?: PodCondition[];
  /** Why the pod is in its state, as text for people. */
  message?: string;
  /** Why the pod is in its state, in one CamelCase word, such as Evicted. */
  reason?: string;
  /** Node that room is being made on for this pod by pushing out others. The pod may still end up elsewhere. */
  nominatedNodeName?: string;
  /** Address of the node. Unset until the pod starts. */
  hostIP?: string;
  /** Address of the pod. Unset until it has one. */
  podIP?: string;
  /** Addresses of the pod, at most one IPv4 and one IPv6; the first equals podIP. */
  podIPs?: PodIP[];
  /** When the node accepted the pod, before its images were pulled. */
  startTime?: string;
  /** State of each init container. */
  initContainerStatuses?: ContainerStatus[];
  /** State of each container. */
  containerStatuses?: ContainerStatus[];
  /** Guaranteed if every container has limits of CPU and memory and equal requests, BestEffort if none has any of these, else Burstable. Set at creation. */
  qosClass?: "BestEffort" | "Burstable" | "Guaranteed";
  /** State of each ephemeral container. */
  ephemeralContainerStatuses?: ContainerStatus[];
  /** How a change of resources gets on: Proposed, InProgress, Deferred or Infeasible. Empty when none is under way. Alpha. */
  resize?: string;
}

/** The status of a pod by itself. Not used by the API. */
export interface PodStatusResult {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The observed state; written by the system. */
  status?: PodStatus;
}

/** Pods to be made. */
export interface PodTemplateSpec {
  /** Labels, annotations and finalizers of the pods. */
  metadata?: meta_v1.ObjectMeta;
  /** What the pods should be. */
  spec?: PodSpec;
}

/** State of a service's port at a load balancer. */
export interface PortStatus {
  /** Number of the service's port. */
  port?: number;
  /** TCP, UDP or SCTP. */
  protocol?: "SCTP" | "TCP" | "UDP";
  /** Why the port does not work, in one CamelCase word, possibly qualified by a domain. Unset if it works. */
  error?: string;
}

/** A Portworx volume. Deprecated: use the CSI driver of the volume. */
export interface PortworxVolumeSource {
  /** ID of the volume. */
  volumeID?: string;
  /** File system of the volume, ext4 or xfs. Unset means ext4. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** A wish about the node, with a weight. */
export interface PreferredSchedulingTerm {
  /** How much a match counts, 1 to 100. */
  weight?: number;
  /** The nodes that are wished for. */
  preference?: NodeSelectorTerm;
}

/** A check that a node repeats on a container. */
export interface Probe extends ProbeHandler {
  /** Seconds between the start of the container and the first check. Default 0. */
  initialDelaySeconds?: number;
  /** Seconds after which a check without answer counts as failed. Default 1. */
  timeoutSeconds?: number;
  /** Seconds between checks. Default 10, least 1. */
  periodSeconds?: number;
  /** Successes in a row that count as recovery after a failure. Default 1; must be 1 for liveness and startup. */
  successThreshold?: number;
  /** Failures in a row that count as a failure. Default 3, least 1. */
  failureThreshold?: number;
  /** Seconds to end in when this probe fails, at least 1. Unset means those of the pod. Not for readiness. */
  terminationGracePeriodSeconds?: number | bigint;
}

/** What a check does. Exactly one member must be set. */
export interface ProbeHandler {
  /** Runs a command in the container. */
  exec?: ExecAction;
  /** Sends an HTTP request. */
  httpGet?: HTTPGetAction;
  /** Opens a TCP connection. */
  tcpSocket?: TCPSocketAction;
  /** Calls the gRPC health service. */
  grpc?: GRPCAction;
}

/** Several sources as files of one volume. */
export interface ProjectedVolumeSource {
  /** The sources. Their paths may not collide. */
  sources?: VolumeProjection[];
  /** Permission bits of files without a mode of their own, 0 to 0777 (JSON: decimal, 0 to 511). Default 0644. */
  defaultMode?: number;
}

/** A Quobyte volume. Deprecated: nodes can no longer mount it. */
export interface QuobyteVolumeSource {
  /** Registries as host:port, separated by commas. */
  registry?: string;
  /** Name of the volume. */
  volume?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** User that the volume is accessed as. Unset means the user of the service account. */
  user?: string;
  /** Group that the volume is accessed as. Unset means none. */
  group?: string;
  /** Tenant that owns the volume, for volumes that are provisioned. */
  tenant?: string;
}

/** A Ceph block device. */
export interface RBDPersistentVolumeSource {
  /** Addresses of Ceph monitors. At least one. */
  monitors?: string[];
  /** Name of the block device image. */
  image?: string;
  /** File system of the device, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Pool that holds the image. Default rbd. */
  pool?: string;
  /** Ceph user. Default admin. */
  user?: string;
  /** File on the node with the user's key. Default /etc/ceph/keyring. */
  keyring?: string;
  /** Secret with the user's key; takes the place of keyring. */
  secretRef?: SecretReference;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** A Ceph block device. */
export interface RBDVolumeSource {
  /** Addresses of Ceph monitors. At least one. */
  monitors?: string[];
  /** Name of the block device image. */
  image?: string;
  /** File system of the device, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Pool that holds the image. Default rbd. */
  pool?: string;
  /** Ceph user. Default admin. */
  user?: string;
  /** File on the node with the user's key. Default /etc/ceph/keyring. */
  keyring?: string;
  /** Secret with the user's key; takes the place of keyring. */
  secretRef?: LocalObjectReference;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** Which members of a range are taken. Internal to the system. */
export interface RangeAllocation {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The range, such as a CIDR. */
  range?: string;
  /** Bits of the members that are taken. */
  data?: string;
}

/** A statement about a replication controller. */
export interface ReplicationControllerCondition {
  /** Name of the condition, such as ReplicaFailure. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** Why the status last changed, in one CamelCase word. */
  reason?: string;
  /** Why the status last changed, as text for people. */
  message?: string;
}

/** What a replication controller should keep running. */
export interface ReplicationControllerSpec {
  /** The number of replicas. Default 1. */
  replicas?: number;
  /** Seconds that a new pod must be ready before it counts as available. Default 0: available as soon as it is ready. */
  minReadySeconds?: number;
  /** Selects the objects concerned by their labels. Must match the labels of the template; unset means those labels. */
  selector?: Record<string, string>;
  /** What new pods are made from. Their restart policy must be Always. */
  template?: PodTemplateSpec;
}

/** What a replication controller has running. */
export interface ReplicationControllerStatus {
  /** Pods that exist. */
  replicas?: number;
  /** Pods that have all labels of the template. */
  fullyLabeledReplicas?: number;
  /** Pods that are ready. */
  readyReplicas?: number;
  /** Pods that have been ready for minReadySeconds. */
  availableReplicas?: number;
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** Observed conditions. */
  conditions?: ReplicationControllerCondition[];
}

/** A request for a resource that a driver provides. Alpha. */
export interface ResourceClaim {
  /** Name of an entry of the pod's resourceClaims. */
  name?: string;
}

/** A request or limit of a container. */
export interface ResourceFieldSelector {
  /** Name of the container. Required in volumes; in environment variables unset means the container itself. */
  containerName?: string;
  /** What to show: limits or requests, a dot and the resource, such as limits.cpu or requests.memory. */
  resource?: string;
  /** Unit that the value is given in, such as 1Mi; results are rounded up. Unset means 1. */
  divisor?: string;
}

/** Caps of a namespace. */
export interface ResourceQuotaSpec {
  /** Cap by resource, such as requests.cpu, limits.memory, requests.storage, pods or count/RESOURCE.GROUP. */
  hard?: Record<string, string>;
  /** Counts only objects that fit all of these scopes. Unset means all objects; cannot be changed. */
  scopes?: ("BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating")[];
  /** Like scopes, with values to choose from. Cannot be changed. */
  scopeSelector?: ScopeSelector;
}

/** What is used of the caps. */
export interface ResourceQuotaStatus {
  /** The caps in force. */
  hard?: Record<string, string>;
  /** What the namespace uses now, by resource. */
  used?: Record<string, string>;
}

/** Resources that are needed and allowed. */
export interface ResourceRequirements {
  /** Most that may be used, by resource. CPU is throttled there, memory beyond it is a reason to be killed. Unset means no limit. */
  limits?: Record<string, string>;
  /** What is needed at least and set aside, by resource; not above limits. Unset means the limit of the resource, if there is one. */
  requests?: Record<string, string>;
  /** Resource claims of the pod that the container uses. Alpha; containers only. */
  claims?: ResourceClaim[];
}

/** Labels of an SELinux context. */
export interface SELinuxOptions {
  /** User label. */
  user?: string;
  /** Role label. */
  role?: string;
  /** Type label. */
  type?: string;
  /** Level label. */
  level?: string;
}

/** A ScaleIO volume. Deprecated: nodes can no longer mount it. */
export interface ScaleIOPersistentVolumeSource {
  /** Host of the ScaleIO API. */
  gateway?: string;
  /** Name of the storage system. */
  system?: string;
  /** Secret with the credentials of the ScaleIO user. Required. */
  secretRef?: SecretReference;
  /** Speaks TLS with the gateway. Default false. */
  sslEnabled?: boolean;
  /** Protection domain of the storage. */
  protectionDomain?: string;
  /** Pool of the protection domain. */
  storagePool?: string;
  /** ThickProvisioned or ThinProvisioned. Default ThinProvisioned. */
  storageMode?: string;
  /** Name of an existing volume. */
  volumeName?: string;
  /** File system of the volume, such as ext4, xfs or ntfs. Default xfs. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** A ScaleIO volume. Deprecated: nodes can no longer mount it. */
export interface ScaleIOVolumeSource {
  /** Host of the ScaleIO API. */
  gateway?: string;
  /** Name of the storage system. */
  system?: string;
  /** Secret with the credentials of the ScaleIO user. Required. */
  secretRef?: LocalObjectReference;
  /** Speaks TLS with the gateway. Default false. */
  sslEnabled?: boolean;
  /** Protection domain of the storage. */
  protectionDomain?: string;
  /** Pool of the protection domain. */
  storagePool?: string;
  /** ThickProvisioned or ThinProvisioned. Default ThinProvisioned. */
  storageMode?: string;
  /** Name of an existing volume. */
  volumeName?: string;
  /** File system of the volume, such as ext4, xfs or ntfs. Default xfs. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
}

/** A choice of objects by scope. */
export interface ScopeSelector {
  /** Conditions that must all hold. */
  matchExpressions?: ScopedResourceSelectorRequirement[];
}

/** A condition on one scope. */
export interface ScopedResourceSelectorRequirement {
  /** The scope, for instance PriorityClass. */
  scopeName?: "BestEffort" | "CrossNamespacePodAffinity" | "NotBestEffort" | "NotTerminating" | "PriorityClass" | "Terminating";
  /** How the scope is compared. Scopes other than PriorityClass know only Exists. */
  operator?: "DoesNotExist" | "Exists" | "In" | "NotIn";
  /** Names to compare with: at least one for In and NotIn, none for Exists and DoesNotExist. */
  values?: string[];
}

/** A filter of system calls. */
export interface SeccompProfile {
  /** RuntimeDefault: that of the runtime. Unconfined: none. Localhost: a file on the node. */
  type?: "Localhost" | "RuntimeDefault" | "Unconfined";
  /** File of the profile, relative to the node's folder of profiles. Required for Localhost and only there. */
  localhostProfile?: string;
}

/** Makes an environment variable of every key of a secret. */
export interface SecretEnvSource extends LocalObjectReference {
  /** Whether the secret may be missing. Unset means false: the container waits for it. */
  optional?: boolean;
}

/** One value of a secret. */
export interface SecretKeySelector extends LocalObjectReference {
  /** The key to take. */
  key?: string;
  /** Whether the secret or the key may be missing. Unset means false: the container waits for it. */
  optional?: boolean;
}

/** Values of a secret as files in a projected volume. */
export interface SecretProjection extends LocalObjectReference {
  /** Keys to show and their paths; keys not listed are left out. Unset: every key becomes a file of its name. */
  items?: KeyToPath[];
  /** Whether the secret or listed keys may be missing. Unset means false: the pod waits for them. */
  optional?: boolean;
}

/** Names a secret of any namespace. */
export interface SecretReference {
  /** Name of the secret. */
  name?: string;
  /** Namespace of the secret. */
  namespace?: string;
}

/** Values of a secret as files. Files follow later changes of the secret, with some delay. */
export interface SecretVolumeSource {
  /** Name of the secret, in the pod's namespace. */
  secretName?: string;
  /** Keys to show and their paths; keys not listed are left out. Unset: every key becomes a file of its name. */
  items?: KeyToPath[];
  /** Permission bits of files without a mode of their own, 0 to 0777 (JSON: decimal, 0 to 511). Default 0644. */
  defaultMode?: number;
  /** Whether the secret or listed keys may be missing. Unset means false: the pod waits for them. */
  optional?: boolean;
}

/** Privileges of a container. Members that the pod's context has too override it. */
export interface SecurityContext {
  /** Linux capabilities to gain and lose. Unset means the runtime's usual ones. */
  capabilities?: Capabilities;
  /** Gives the container nearly all rights of root on the node. Default false. Linux only. */
  privileged?: boolean;
  /** SELinux context of the container. Unset: chosen by the runtime. Linux only. */
  seLinuxOptions?: SELinuxOptions;
  /** Settings for Windows. Not for pods with os linux. */
  windowsOptions?: WindowsSecurityContextOptions;
  /** User ID that the process runs as. Unset means the user of the image. Linux only. */
  runAsUser?: number | bigint;
  /** Group ID that the process runs as. Unset: chosen by the runtime. Linux only. */
  runAsGroup?: number | bigint;
  /** Refuses to start the container if it would run as root (user ID 0). Unset means no check. */
  runAsNonRoot?: boolean;
  /** Makes the root file system of the container read-only. Default false. Linux only. */
  readOnlyRootFilesystem?: boolean;
  /** Whether a process may gain more rights than its parent. Cannot be false if the container is privileged or has CAP_SYS_ADMIN. Linux only. */
  allowPrivilegeEscalation?: boolean;
  /** Default: the runtime hides parts of /proc. Unmasked: it hides none. Unset means Default. Alpha. Linux only. */
  procMount?: "Default" | "Unmasked";
  /** Filter of system calls for the container. Linux only. */
  seccompProfile?: SeccompProfile;
}

/** A reference in a form that can be stored. Not used by the API. */
export interface SerializedReference {
  apiVersion?: string;
  kind?: string;
  /** The object referred to. */
  reference?: ObjectReference;
}

/** An API token of the pod's service account as a file; it is renewed before it expires. */
export interface ServiceAccountTokenProjection {
  /** Who the token is meant for; others must refuse it. Unset means the API server. */
  audience?: string;
  /** Seconds that a token is valid, at least 600. Default 3600. The server may issue other lifetimes. */
  expirationSeconds?: number | bigint;
  /** Relative path of the file in the volume. */
  path?: string;
}

/** A port of a service. */
export interface ServicePort {
  /** Name of the port; a DNS label, unique in the service. Required if there are several ports. */
  name?: string;
  /** TCP, UDP or SCTP. Default TCP. */
  protocol?: "SCTP" | "TCP" | "UDP";
  /** Application protocol of the port, such as http: a registered service name, or a name qualified by a domain. */
  appProtocol?: string;
  /** Port number of the service, 1 to 65535. */
  port?: number;
  /** Port of the pods by number, 1 to 65535, or by name. Unset means the number of port. */
  targetPort?: number | string;
  /** Port of every node that leads here, for types NodePort and LoadBalancer. Unset: one is chosen from the range set for the cluster. */
  nodePort?: number;
}

/** Parameters of requests passed on to a service. */
export interface ServiceProxyOptions {
  apiVersion?: string;
  kind?: string;
  /** Path of the passed request at the service. */
  path?: string;
}

/** How a service is reached and what stands behind it. */
export interface ServiceSpec {
  /** The ports that the service offers. At least one, unless the service is headless or of type ExternalName. */
  ports?: ServicePort[];
  /** Labels of the pods behind the service. Unset: somebody else keeps the endpoints. Not used for type ExternalName. */
  selector?: Record<string, string>;
  /** Address of the service; "None" for a headless one. Unset: one is chosen. Cannot be changed, unless the type changes from or to ExternalName. */
  clusterIP?: string;
  /** Addresses of the service, at most one IPv4 and one IPv6; the first equals clusterIP. */
  clusterIPs?: string[];
  /** How the service is exposed. ClusterIP: within the cluster. NodePort: also at a port of each node. LoadBalancer: also by a load balancer. ExternalName: a DNS alias. */
  type?: "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort";
  /** Further addresses whose traffic nodes take for this service. Routing them to a node is up to the user. */
  externalIPs?: string[];
  /** ClientIP sends all connections of one client address to the same pod; None spreads them. Default None. */
  sessionAffinity?: "ClientIP" | "None";
  /** Address wished for the load balancer, where the provider can. Deprecated: use what the provider offers. */
  loadBalancerIP?: string;
  /** Client ranges, in CIDR form, that the load balancer lets in, where the provider can. Unset means all. */
  loadBalancerSourceRanges?: string[];
  /** DNS name that the service is an alias of, as CNAME. Required for type ExternalName. */
  externalName?: string;
  /** Local: outside traffic goes only to pods of the node that it reached, and keeps its source address. Cluster: to any pod. Default Cluster. */
  externalTrafficPolicy?: "Cluster" | "Local";
  /** Node port where load balancers learn which nodes have pods, for type LoadBalancer with external policy Local. Unset: one is chosen. Cannot be changed. */
  healthCheckNodePort?: number;
  /** Lists pods in DNS and endpoints even while they are not ready. Default false. */
  publishNotReadyAddresses?: boolean;
  /** Settings of sessionAffinity. */
  sessionAffinityConfig?: SessionAffinityConfig;
  /** IPv4, IPv6 or both, the first being that of clusterIP. Unset: by the cluster and the policy. The first cannot be changed. */
  ipFamilies?: ("IPv4" | "IPv6")[];
  /** SingleStack: one family. PreferDualStack: two where the cluster has both. RequireDualStack: two or failure. Default SingleStack. */
  ipFamilyPolicy?: "PreferDualStack" | "RequireDualStack" | "SingleStack";
  /** Whether a service of type LoadBalancer gets node ports by itself; ports asked for are given anyway. Default true. */
  allocateLoadBalancerNodePorts?: boolean;
  /** Which load balancer implementation serves the service; only for type LoadBalancer. Unset means the default one. Cannot be changed once set. */
  loadBalancerClass?: string;
  /** Local: traffic from within the cluster goes only to pods of the same node. Cluster: to any pod. Default Cluster. */
  internalTrafficPolicy?: "Cluster" | "Local";
}

/** What a service got. */
export interface ServiceStatus {
  /** Addresses of the load balancer, if there is one. */
  loadBalancer?: LoadBalancerStatus;
  /** Observed conditions. One for each type. */
  conditions?: meta_v1.Condition[];
}

/** Settings of session affinity. */
export interface SessionAffinityConfig {
  /** Settings of affinity by client address. */
  clientIP?: ClientIPConfig;
}

/** A StorageOS volume. Deprecated: nodes can no longer mount it. */
export interface StorageOSPersistentVolumeSource {
  /** Name of the volume; unique in its StorageOS namespace. */
  volumeName?: string;
  /** Namespace of the volume within StorageOS. Unset means that of the pod. */
  volumeNamespace?: string;
  /** File system of the volume, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Secret with the credentials of the StorageOS API. */
  secretRef?: ObjectReference;
}

/** A StorageOS volume. Deprecated: nodes can no longer mount it. */
export interface StorageOSVolumeSource {
  /** Name of the volume; unique in its StorageOS namespace. */
  volumeName?: string;
  /** Namespace of the volume within StorageOS. Unset means that of the pod. */
  volumeNamespace?: string;
  /** File system of the volume, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Secret with the credentials of the StorageOS API. */
  secretRef?: LocalObjectReference;
}

/** A kernel parameter. */
export interface Sysctl {
  /** Name of the parameter, such as net.ipv4.tcp_syncookies. */
  name?: string;
  /** Value to set. */
  value?: string;
}

/** Opens a TCP connection; if it opens, that is a success. */
export interface TCPSocketAction {
  /** Port of the container by number, 1 to 65535, or by name. */
  port?: number | string;
  /** Host to connect to. Unset means the pod's address. */
  host?: string;
}

/** A mark on a node that keeps away pods without a matching toleration. */
export interface Taint {
  /** Key of the taint, as of a label. */
  key?: string;
  /** Value that belongs to the key. May be empty. */
  value?: string;
  /** NoSchedule: no new pods. PreferNoSchedule: only if nowhere else fits. NoExecute: running pods are evicted too. */
  effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  /** When the taint was added. Set only for NoExecute. */
  timeAdded?: string;
}

/** Lets a pod put up with taints that it matches. */
export interface Toleration {
  /** Key of the taint. Empty means all keys; operator must be Exists then. */
  key?: string;
  /** Exists: any value matches. Equal: only the same value does. Unset means Equal. */
  operator?: "Equal" | "Exists";
  /** Value of the taint. Must be empty for operator Exists. */
  value?: string;
  /** Effect of the taint: NoSchedule, PreferNoSchedule or NoExecute. Empty means all effects. */
  effect?: "NoExecute" | "NoSchedule" | "PreferNoSchedule";
  /** Seconds that the pod stays once the taint appears; 0 or less means none. Unset means for ever. Only for effect NoExecute. */
  tolerationSeconds?: number | bigint;
}

/** A condition on one label of nodes. */
export interface TopologySelectorLabelRequirement {
  /** Key of the label. */
  key?: string;
  /** Values of which one must be the label's. */
  values?: string[];
}

/** Conditions on labels of nodes; all must hold. An empty one matches nothing. */
export interface TopologySelectorTerm {
  /** The conditions. */
  matchLabelExpressions?: TopologySelectorLabelRequirement[];
}

/** How evenly matching pods are spread over places. */
export interface TopologySpreadConstraint {
  /** How many matching pods more a place may have than the one with the fewest. At least 1. */
  maxSkew?: number;
  /** Node label that defines places: nodes with the same value are one place. */
  topologyKey?: string;
  /** DoNotSchedule: the pod waits. ScheduleAnyway: it is scheduled where the skew stays smallest. */
  whenUnsatisfiable?: "DoNotSchedule" | "ScheduleAnyway";
  /** Labels of the pods that are counted, within the pod's namespace. */
  labelSelector?: meta_v1.LabelSelector;
  /** If fewer places match, the fewest pods count as 0. At least 1, only with DoNotSchedule. Unset means 1. */
  minDomains?: number;
  /** Whether only nodes count that nodeSelector and node affinity allow (Honor), or all (Ignore). Unset means Honor. */
  nodeAffinityPolicy?: "Honor" | "Ignore";
  /** Whether nodes count only if their taints are tolerated (Honor), or always (Ignore). Unset means Ignore. */
  nodeTaintsPolicy?: "Honor" | "Ignore";
  /** Keys of the pod's own labels: only pods with the same values count. Needs a labelSelector and may not repeat its keys. */
  matchLabelKeys?: string[];
}

/** Names an object of the same namespace, by kind. */
export interface TypedLocalObjectReference {
  /** API group of the object. Unset means the core group. */
  apiGroup?: string;
  /** Kind of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
}

/** Names an object by kind. */
export interface TypedObjectReference {
  /** API group of the object. Unset means the core group. */
  apiGroup?: string;
  /** Kind of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
  /** Namespace of the object. Unset means the same one; another must allow it by a grant. Alpha. */
  namespace?: string;
}

/** A volume of a pod. */
export interface Volume extends VolumeSource {
  /** Name that containers mount it by; a DNS label, unique in the pod. */
  name?: string;
}

/** A block volume as a device in a container. */
export interface VolumeDevice {
  /** Name of a volume of the pod whose claim is of mode Block. */
  name?: string;
  /** Path of the device in the container. */
  devicePath?: string;
}

/** A volume in the file system of a container. */
export interface VolumeMount {
  /** Name of a volume of the pod. */
  name?: string;
  /** Mounts the volume for reading only. Default false. */
  readOnly?: boolean;
  /** Path in the container, without ":". Unique in the container. */
  mountPath?: string;
  /** Folder or file of the volume to mount in place of its root; relative, without "..". Unset means the root. */
  subPath?: string;
  /** Whether later mounts show: None neither way, HostToContainer from the node, Bidirectional both ways (privileged only). Unset means None. */
  mountPropagation?: "Bidirectional" | "HostToContainer" | "None";
  /** Like subPath, with $(NAME) replaced by environment variables. Not together with subPath. */
  subPathExpr?: string;
}

/** Nodes that can reach a volume. */
export interface VolumeNodeAffinity {
  /** Pods that use the volume run only on nodes that match. */
  required?: NodeSelector;
}

/** One source of a projected volume. Exactly one member must be set. */
export interface VolumeProjection {
  /** Values of a secret. */
  secret?: SecretProjection;
  /** Facts about the pod. */
  downwardAPI?: DownwardAPIProjection;
  /** Values of a config map. */
  configMap?: ConfigMapProjection;
  /** An API token of the pod's service account. */
  serviceAccountToken?: ServiceAccountTokenProjection;
}

/** What a volume is. At most one member may be set. */
export interface VolumeSource {
  /** A file or folder of the node. */
  hostPath?: HostPathVolumeSource;
  /** An empty folder that goes when the pod goes. */
  emptyDir?: EmptyDirVolumeSource;
  /** A Google Compute Engine disk. Deprecated: use a CSI driver. */
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  /** An AWS EBS disk. Deprecated: use a CSI driver. */
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  /** A clone of a git repository. Deprecated: clone in an init container into an emptyDir. */
  gitRepo?: GitRepoVolumeSource;
  /** Values of a secret as files. */
  secret?: SecretVolumeSource;
  /** A share of an NFS server. */
  nfs?: NFSVolumeSource;
  /** An iSCSI disk. */
  iscsi?: ISCSIVolumeSource;
  /** A GlusterFS volume. Deprecated: nodes can no longer mount it. */
  glusterfs?: GlusterfsVolumeSource;
  /** The volume of a claim in the pod's namespace. */
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  /** A Ceph block device. */
  rbd?: RBDVolumeSource;
  /** Storage mounted by a plug-in program. Deprecated: use a CSI driver. */
  flexVolume?: FlexVolumeSource;
  /** An OpenStack Cinder volume. Deprecated: use a CSI driver. */
  cinder?: CinderVolumeSource;
  /** A Ceph file system. */
  cephfs?: CephFSVolumeSource;
  /** A Flocker dataset. Deprecated: nodes can no longer mount it. */
  flocker?: FlockerVolumeSource;
  /** Facts about the pod as files. */
  downwardAPI?: DownwardAPIVolumeSource;
  /** A Fibre Channel disk. */
  fc?: FCVolumeSource;
  /** An Azure file share. Deprecated: use a CSI driver. */
  azureFile?: AzureFileVolumeSource;
  /** Values of a config map as files. */
  configMap?: ConfigMapVolumeSource;
  /** A vSphere disk. Deprecated: use a CSI driver. */
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
  /** A Quobyte volume. Deprecated: nodes can no longer mount it. */
  quobyte?: QuobyteVolumeSource;
  /** An Azure data disk. Deprecated: use a CSI driver. */
  azureDisk?: AzureDiskVolumeSource;
  /** A Photon Controller disk. Deprecated: nodes can no longer mount it. */
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  /** Several sources as files of one volume. */
  projected?: ProjectedVolumeSource;
  /** A Portworx volume. Deprecated: use a CSI driver. */
  portworxVolume?: PortworxVolumeSource;
  /** A ScaleIO volume. Deprecated: nodes can no longer mount it. */
  scaleIO?: ScaleIOVolumeSource;
  /** A StorageOS volume. Deprecated: nodes can no longer mount it. */
  storageos?: StorageOSVolumeSource;
  /** A volume that a CSI driver makes for the pod. */
  csi?: CSIVolumeSource;
  /** A volume provisioned for the pod and deleted with it. */
  ephemeral?: EphemeralVolumeSource;
}

/** A vSphere disk. Deprecated: use the CSI driver of the disk. */
export interface VsphereVirtualDiskVolumeSource {
  /** Path of the disk file in its datastore. */
  volumePath?: string;
  /** File system of the disk, such as ext4, xfs or ntfs. Unset means ext4. */
  fsType?: string;
  /** Name of the storage policy of the disk. */
  storagePolicyName?: string;
  /** ID of the storage policy named by storagePolicyName. */
  storagePolicyID?: string;
}

/** A term with a weight. */
export interface WeightedPodAffinityTerm {
  /** How much a match counts, 1 to 100. */
  weight?: number;
  /** The pods and the place. */
  podAffinityTerm?: PodAffinityTerm;
}

/** Settings for Windows containers. */
export interface WindowsSecurityContextOptions {
  /** Name of the group managed service account credential spec to use. */
  gmsaCredentialSpecName?: string;
  /** Content of the credential spec, filled in from its name by a webhook. */
  gmsaCredentialSpec?: string;
  /** User name that the process runs as. Unset means the user of the image. */
  runAsUserName?: string;
  /** Runs the containers as processes of the node; the same for all of the pod, and needs hostNetwork. Default false. */
  hostProcess?: boolean;
}
