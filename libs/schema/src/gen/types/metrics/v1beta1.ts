// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** What a container uses. */
export interface ContainerMetrics {
  /** Name of the container. */
  name?: string;
  /** Use by resource, such as "cpu" in cores and "memory" in bytes. */
  usage?: Record<string, string>;
}

/** What a node uses. */
export interface NodeMetrics {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** When the measurement ended. */
  timestamp?: string;
  /** Length of time that was measured. */
  window?: string;
  /** Use by resource, such as "cpu" in cores and "memory" in bytes. */
  usage?: Record<string, string>;
}

/** A collection of NodeMetrics objects. */
export interface NodeMetricsList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: NodeMetrics[];
}

/** What a pod uses. */
export interface PodMetrics {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** When the measurement ended. */
  timestamp?: string;
  /** Length of time that was measured. */
  window?: string;
  /** The use of each container. */
  containers?: ContainerMetrics[];
}

/** A collection of PodMetrics objects. */
export interface PodMetricsList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PodMetrics[];
}
