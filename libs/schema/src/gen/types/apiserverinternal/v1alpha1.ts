// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Versions that the servers store a resource in. */
export interface StorageVersion {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: StorageVersion[];
}

/** The versions that one server writes and reads. */
export interface ServerStorageVersion {
  /** Id of the server. */
  apiServerID?: string;
  /** The version that it stores objects in. */
  encodingVersion?: string;
  /** The versions that it can read; encodingVersion is among them. */
  decodableVersions?: string[];
}

/** One aspect of the state of a stored resource. */
export interface StorageVersionCondition {
  /** What the condition is about, such as AllEncodingVersionsEqual. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** The generation that this state was observed at. */
  observedGeneration?: number | bigint;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** Empty: there is nothing to ask for. */
export interface StorageVersionSpec {
}

/** What the servers report. */
export interface StorageVersionStatus {
  /** The report of each server. */
  storageVersions?: ServerStorageVersion[];
  /** The version that all servers store in. Unset: they differ. */
  commonEncodingVersion?: string;
  /** Observed conditions. */
  conditions?: StorageVersionCondition[];
}
