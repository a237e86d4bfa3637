// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Where scheduler and drivers agree on a node for a pod with claims. */
export interface PodSchedulingContext {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: PodSchedulingContextSpec;
  /** The observed state; written by the system. */
  status?: PodSchedulingContextStatus;
}

/** A collection of PodSchedulingContext objects. */
export interface PodSchedulingContextList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PodSchedulingContext[];
}

/** A request for a resource that a driver provides. */
export interface ResourceClaim {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ResourceClaimSpec;
  /** The observed state; written by the system. */
  status?: ResourceClaimStatus;
}

/** A collection of ResourceClaim objects. */
export interface ResourceClaimList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ResourceClaim[];
}

/** A description of claims to be made from it. */
export interface ResourceClaimTemplate {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ResourceClaimTemplateSpec;
}

/** A collection of ResourceClaimTemplate objects. */
export interface ResourceClaimTemplateList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ResourceClaimTemplate[];
}

/** A driver of resources and its parameters. */
export interface ResourceClass {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  driverName?: string;
  parametersRef?: ResourceClassParametersReference;
  suitableNodes?: core_v1.NodeSelector;
}

/** A collection of ResourceClass objects. */
export interface ResourceClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ResourceClass[];
}

export interface AllocationResult {
  resourceHandles?: ResourceHandle[];
  availableOnNodes?: core_v1.NodeSelector;
  shareable?: boolean;
}

export interface PodSchedulingContextSpec {
  selectedNode?: string;
  potentialNodes?: string[];
}

export interface PodSchedulingContextStatus {
  resourceClaims?: ResourceClaimSchedulingStatus[];
}

export interface ResourceClaimConsumerReference {
  apiGroup?: string;
  resource?: string;
  name?: string;
  uid?: string;
}

export interface ResourceClaimParametersReference {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

export interface ResourceClaimSchedulingStatus {
  name?: string;
  unsuitableNodes?: string[];
}

export interface ResourceClaimSpec {
  resourceClassName?: string;
  parametersRef?: ResourceClaimParametersReference;
  allocationMode?: string;
}

export interface ResourceClaimStatus {
  driverName?: string;
  allocation?: AllocationResult;
  reservedFor?: ResourceClaimConsumerReference[];
  deallocationRequested?: boolean;
}

export interface ResourceClaimTemplateSpec {
  metadata?: meta_v1.ObjectMeta;
  spec?: ResourceClaimSpec;
}

export interface ResourceClassParametersReference {
  apiGroup?: string;
  kind?: string;
  name?: string;
  namespace?: string;
}

export interface ResourceHandle {
  driverName?: string;
  data?: string;
}
