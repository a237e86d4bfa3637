// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** A name for a pod priority. */
export interface PriorityClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Priority of the pods of the class; higher goes first. Up to 1000000000; cannot be changed. */
  value?: number;
  /** Makes this the class of pods that name none; only one class may say so. Default: false, and such pods have priority 0. */
  globalDefault?: boolean;
  /** A sentence for people on when to use the class. */
  description?: string;
  /** PreemptLowerPriority (the default) lets pods push out lower ones, Never has them wait. Cannot be changed. */
  preemptionPolicy?: "Never" | "PreemptLowerPriority";
}

/** A collection of PriorityClass objects. */
export interface PriorityClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PriorityClass[];
}
