// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** A container runtime that pods may choose. */
export interface RuntimeClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Name by which the node's container runtime knows the configuration, a label in lower case. Cannot be changed. */
  handler?: string;
  /** Resources that a pod needs on top of its containers. Unset: none. */
  overhead?: Overhead;
  /** Which nodes have the runtime. Unset: all of them. */
  scheduling?: Scheduling;
}

/** A collection of RuntimeClass objects. */
export interface RuntimeClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: RuntimeClass[];
}

/** What running a pod costs beyond its containers. */
export interface Overhead {
  /** The amount by resource, the same for each pod. */
  podFixed?: Record<string, string>;
}

/** Which nodes have a container runtime. */
export interface Scheduling {
  /** Labels that the node must have; joined with the pod's own, and a pod that contradicts them is refused. */
  nodeSelector?: Record<string, string>;
  /** Tolerations that are added to those of the pod. */
  tolerations?: core_v1.Toleration[];
}
