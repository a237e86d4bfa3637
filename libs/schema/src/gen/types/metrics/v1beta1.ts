// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

export interface ContainerMetrics {
  name?: string;
  usage?: Record<string, string>;
}

export interface NodeMetrics {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  timestamp?: string;
  window?: string;
  usage?: Record<string, string>;
}

/** A collection of NodeMetrics objects. */
export interface NodeMetricsList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: NodeMetrics[];
}

export interface PodMetrics {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  timestamp?: string;
  window?: string;
  containers?: ContainerMetrics[];
}

/** A collection of PodMetrics objects. */
export interface PodMetricsList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PodMetrics[];
}
