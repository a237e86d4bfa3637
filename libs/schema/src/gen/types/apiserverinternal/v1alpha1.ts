// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Versions that the servers store a resource in. */
export interface StorageVersion {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: StorageVersionSpec;
  /** The observed state; written by the system. */
  status?: StorageVersionStatus;
}

/** A collection of StorageVersion objects. */
export interface StorageVersionList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: StorageVersion[];
}

export interface ServerStorageVersion {
  apiServerID?: string;
  encodingVersion?: string;
  decodableVersions?: string[];
}

export interface StorageVersionCondition {
  type?: string;
  status?: string;
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  reason?: string;
  message?: string;
}

export interface StorageVersionSpec {
}

export interface StorageVersionStatus {
  storageVersions?: ServerStorageVersion[];
  commonEncodingVersion?: string;
  /** Observed conditions. */
  conditions?: StorageVersionCondition[];
}
