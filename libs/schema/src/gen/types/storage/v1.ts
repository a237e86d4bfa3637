// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** A storage driver and how it is to be called. */
export interface CSIDriver {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: CSIDriverSpec;
}

/** A collection of CSIDriver objects. */
export interface CSIDriverList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CSIDriver[];
}

/** The storage drivers on one node. */
export interface CSINode {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: CSINodeSpec;
}

/** A collection of CSINode objects. */
export interface CSINodeList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CSINode[];
}

/** Storage that is left of one class in one part of the cluster. */
export interface CSIStorageCapacity {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Nodes that reach the storage, by their labels. Unset: none; empty: all. Cannot be changed. */
  nodeTopology?: meta_v1.LabelSelector;
  /** The storage class that the figures are for. Cannot be changed. */
  storageClassName?: string;
  /** Storage that is left, in bytes. Unset: not known. */
  capacity?: string;
  /** Largest volume that can be made, in bytes. Unset: not known. */
  maximumVolumeSize?: string;
}

/** A collection of CSIStorageCapacity objects. */
export interface CSIStorageCapacityList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CSIStorageCapacity[];
}

/** A named way to provision volumes. */
export interface StorageClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Name of the driver that makes the volumes. Cannot be changed. */
  provisioner?: string;
  /** Settings for the driver, at most 512. Cannot be changed. */
  parameters?: Record<string, string>;
  /** What becomes of a volume when its claim is gone: Delete (the default) or Retain. Cannot be changed. */
  reclaimPolicy?: "Delete" | "Recycle" | "Retain";
  /** Options that the volumes are mounted with; they are not checked beforehand. */
  mountOptions?: string[];
  /** Whether claims may be enlarged later. Unset: no. */
  allowVolumeExpansion?: boolean;
  /** Immediate (the default) makes volumes at once, WaitForFirstConsumer when a pod needs one. Cannot be changed. */
  volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
  /** Where volumes may be made. Unset: anywhere. */
  allowedTopologies?: core_v1.TopologySelectorTerm[];
}

/** A collection of StorageClass objects. */
export interface StorageClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: StorageClass[];
}

/** The intent to attach a volume to a node, or to detach it. */
export interface VolumeAttachment {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: VolumeAttachmentSpec;
  /** The observed state; written by the system. */
  status?: VolumeAttachmentStatus;
}

/** A collection of VolumeAttachment objects. */
export interface VolumeAttachmentList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: VolumeAttachment[];
}

/** What a storage driver can do and how it is to be called. */
export interface CSIDriverSpec {
  /** Whether volumes must be attached to a node before they are mounted. Default: true; cannot be changed. */
  attachRequired?: boolean;
  /** Passes name, namespace, uid and service account of the pod to the driver on mounting. Default: false. */
  podInfoOnMount?: boolean;
  /** Persistent for volumes by claims, Ephemeral for volumes that live and die with a pod. Default: Persistent; cannot be changed. */
  volumeLifecycleModes?: string[];
  /** Has the scheduler take the capacity that the driver reports into account. Default: false. */
  storageCapacity?: boolean;
  /** Whether the owner of files is adapted on mounting: ReadWriteOnceWithFSType (the default), File or None. Cannot be changed. */
  fsGroupPolicy?: string;
  /** Tokens of the pod's service account that the driver needs for mounting. Unset: none. */
  tokenRequests?: TokenRequest[];
  /** Calls the driver again and again while a volume is mounted, such as for fresh tokens. Default: false. */
  requiresRepublish?: boolean;
  /** Whether volumes can be mounted with an SELinux context of their own. Unset: no. */
  seLinuxMount?: boolean;
}

/** One storage driver on a node. */
export interface CSINodeDriver {
  /** Name of the driver. */
  name?: string;
  /** What the driver calls the node; may differ from its name in the cluster. */
  nodeID?: string;
  /** Labels of the node that the driver understands as its place. */
  topologyKeys?: string[];
  /** How many volumes of the driver the node can take. Unset: no limit is known. */
  allocatable?: VolumeNodeResources;
}

/** The storage drivers on a node. */
export interface CSINodeSpec {
  /** The drivers; one that is taken out is no longer installed. */
  drivers?: CSINodeDriver[];
}

/** Asks for a token of a service account. It is passed to a storage driver. */
export interface TokenRequest {
  /** Who the token is for; empty for the API server. */
  audience?: string;
  /** Seconds that the token is good for. Unset: the server's default. */
  expirationSeconds?: number | bigint;
}

/** The volume to attach. Exactly one field is set. */
export interface VolumeAttachmentSource {
  /** Name of a persistent volume. */
  persistentVolumeName?: string;
  /** A volume described in place, for pods whose volumes were of another form before. */
  inlineVolumeSpec?: core_v1.PersistentVolumeSpec;
}

/** What to attach where. Cannot be changed. */
export interface VolumeAttachmentSpec {
  /** Name of the driver that has to do it. */
  attacher?: string;
  /** The volume. */
  source?: VolumeAttachmentSource;
  /** The node. */
  nodeName?: string;
}

/** How far attaching or detaching has come. */
export interface VolumeAttachmentStatus {
  /** Whether the volume is attached. */
  attached?: boolean;
  /** What the driver returned on attaching; needed for mounting. */
  attachmentMetadata?: Record<string, string>;
  /** The last failure to attach. Unset: none. */
  attachError?: VolumeError;
  /** The last failure to detach. Unset: none. */
  detachError?: VolumeError;
}

/** A failure on a volume. */
export interface VolumeError {
  /** When it happened. */
  time?: string;
  /** A sentence for people on it; must not hold secrets. */
  message?: string;
}

/** What a node has room for. */
export interface VolumeNodeResources {
  /** Highest number of volumes of the driver. Unset: no limit. */
  count?: number;
}
