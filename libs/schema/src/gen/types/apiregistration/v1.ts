// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Registers a group-version and the server that answers for it. */
export interface APIService {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: APIServiceSpec;
  /** The observed state; written by the system. */
  status?: APIServiceStatus;
}

/** A collection of APIService objects. */
export interface APIServiceList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: APIService[];
}

/** One aspect of the state of a registration. */
export interface APIServiceCondition {
  /** What the condition is about, such as Available. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** Which group-version is registered and who answers for it. The object is named "version.group". */
export interface APIServiceSpec {
  /** The service that answers. Unset: this server does. */
  service?: ServiceReference;
  /** The group; empty for the core group. */
  group?: string;
  /** The version. */
  version?: string;
  /** Does not check the certificate of the service. Default: false. Excludes caBundle. */
  insecureSkipTLSVerify?: boolean;
  /** Certificates as PEM, in base64, that the service's own must stem from. Unset: those that the server's system trusts. */
  caBundle?: string;
  /** Rank of the group, 1 to 20000; the highest of its versions counts. Higher groups stand first in discovery. */
  groupPriorityMinimum?: number;
  /** Rank of the version in its group, 1 to 1000. Higher ones stand first; equal ones go by their names. */
  versionPriority?: number;
}

/** Whether a group-version is available. */
export interface APIServiceStatus {
  /** Observed conditions. */
  conditions?: APIServiceCondition[];
}

/** The service that answers for a group-version. */
export interface ServiceReference {
  /** Namespace of the service. */
  namespace?: string;
  /** Name of the service. */
  name?: string;
  /** Port of the service. Default: 443. */
  port?: number;
}
