// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** A storage driver and how it is to be called. */
export interface CSIDriver {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: CSIDriverSpec;
}

/** A collection of CSIDriver objects. */
export interface CSIDriverList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CSIDriver[];
}

/** The storage drivers on one node. */
export interface CSINode {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: CSINodeSpec;
}

/** A collection of CSINode objects. */
export interface CSINodeList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CSINode[];
}

/** Storage that is left of one class in one part of the cluster. */
export interface CSIStorageCapacity {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  nodeTopology?: meta_v1.LabelSelector;
  storageClassName?: string;
  capacity?: string;
  maximumVolumeSize?: string;
}

/** A collection of CSIStorageCapacity objects. */
export interface CSIStorageCapacityList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CSIStorageCapacity[];
}

/** A named way to provision volumes. */
export interface StorageClass {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  provisioner?: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: "Delete" | "Recycle" | "Retain";
  mountOptions?: string[];
  allowVolumeExpansion?: boolean;
  volumeBindingMode?: "Immediate" | "WaitForFirstConsumer";
  allowedTopologies?: core_v1.TopologySelectorTerm[];
}

/** A collection of StorageClass objects. */
export interface StorageClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: StorageClass[];
}

/** The intent to attach a volume to a node, or to detach it. */
export interface VolumeAttachment {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
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
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: VolumeAttachment[];
}

export interface CSIDriverSpec {
  attachRequired?: boolean;
  podInfoOnMount?: boolean;
  volumeLifecycleModes?: string[];
  storageCapacity?: boolean;
  fsGroupPolicy?: string;
  tokenRequests?: TokenRequest[];
  requiresRepublish?: boolean;
  seLinuxMount?: boolean;
}

export interface CSINodeDriver {
  name?: string;
  nodeID?: string;
  topologyKeys?: string[];
  allocatable?: VolumeNodeResources;
}

export interface CSINodeSpec {
  drivers?: CSINodeDriver[];
}

/** Asks for a token of a service account. */
export interface TokenRequest {
  audience?: string;
  expirationSeconds?: number | bigint;
}

export interface VolumeAttachmentSource {
  persistentVolumeName?: string;
  inlineVolumeSpec?: core_v1.PersistentVolumeSpec;
}

export interface VolumeAttachmentSpec {
  attacher?: string;
  source?: VolumeAttachmentSource;
  nodeName?: string;
}

export interface VolumeAttachmentStatus {
  attached?: boolean;
  attachmentMetadata?: Record<string, string>;
  attachError?: VolumeError;
  detachError?: VolumeError;
}

export interface VolumeError {
  time?: string;
  message?: string;
}

export interface VolumeNodeResources {
  count?: number;
}
