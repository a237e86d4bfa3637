// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** A container runtime that pods may choose. */
export interface RuntimeClass {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  handler?: string;
  overhead?: Overhead;
  scheduling?: Scheduling;
}

/** A collection of RuntimeClass objects. */
export interface RuntimeClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: RuntimeClass[];
}

export interface Overhead {
  podFixed?: Record<string, string>;
}

export interface Scheduling {
  nodeSelector?: Record<string, string>;
  tolerations?: core_v1.Toleration[];
}
