// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as core_v1 from '../core/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Where scheduler and drivers agree on a node for a pod with claims. */
export interface PodSchedulingContext {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: PodSchedulingContext[];
}

/** A request for a resource that a driver provides. */
export interface ResourceClaim {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
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
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ResourceClaim[];
}

/** A description of claims to be made from it. */
export interface ResourceClaimTemplate {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: ResourceClaimTemplateSpec;
}

/** A collection of ResourceClaimTemplate objects. */
export interface ResourceClaimTemplateList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ResourceClaimTemplate[];
}

/** A driver of resources and its parameters. */
export interface ResourceClass {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Name of the driver, a domain name. */
  driverName?: string;
  /** Parameters for the driver, for all claims of the class. Unset: none. */
  parametersRef?: ResourceClassParametersReference;
  /** Nodes that can have the resource at all. Unset: all. */
  suitableNodes?: core_v1.NodeSelector;
}

/** A collection of ResourceClass objects. */
export interface ResourceClassList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: ResourceClass[];
}

/** A resource that was set aside for a claim. */
export interface AllocationResult {
  /** What the drivers need to know to prepare the resource on a node. */
  resourceHandles?: ResourceHandle[];
  /** Nodes that can use the resource. Unset: all. */
  availableOnNodes?: core_v1.NodeSelector;
  /** Whether several pods may use the claim at once. Default: false. */
  shareable?: boolean;
}

/** What the scheduler proposes. */
export interface PodSchedulingContextSpec {
  /** The node for which waiting claims are to be allocated. Unset: none is chosen yet. */
  selectedNode?: string;
  /** Nodes that the pod could run on, at most 128. */
  potentialNodes?: string[];
}

/** What the drivers answer. */
export interface PodSchedulingContextStatus {
  /** The answers for each claim of the pod. */
  resourceClaims?: ResourceClaimSchedulingStatus[];
}

/** Who may use a claim. */
export interface ResourceClaimConsumerReference {
  /** Group of the user's resource; empty for the core group. */
  apiGroup?: string;
  /** Plural name of the user's resource, such as "pods". */
  resource?: string;
  /** Name of the user. */
  name?: string;
  /** Uid of the user. */
  uid?: string;
}

/** The object that holds the parameters of a claim, in its namespace. */
export interface ResourceClaimParametersReference {
  /** Group of the object; empty for the core group. */
  apiGroup?: string;
  /** Kind of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
}

/** A driver's answer for one claim. */
export interface ResourceClaimSchedulingStatus {
  /** Name of the claim as the pod's spec has it. */
  name?: string;
  /** Nodes that the claim cannot be allocated for, at most 128. */
  unsuitableNodes?: string[];
}

/** What is asked for. Cannot be changed. */
export interface ResourceClaimSpec {
  /** Class of the resource, and so its driver. */
  resourceClassName?: string;
  /** Parameters for the driver, for this claim. Unset: none. */
  parametersRef?: ResourceClaimParametersReference;
  /** WaitForFirstConsumer (the default) allocates when a pod needs it, Immediate at once. */
  allocationMode?: string;
}

/** What has become of a claim. */
export interface ResourceClaimStatus {
  /** Driver that allocated the resource. */
  driverName?: string;
  /** What was set aside. Unset: nothing yet. */
  allocation?: AllocationResult;
  /** Who may use the claim now, at most 32. */
  reservedFor?: ResourceClaimConsumerReference[];
  /** Asks the driver to give the resource back; nobody may begin to use the claim while it is true. */
  deallocationRequested?: boolean;
}

/** What claims are made from. Cannot be changed. */
export interface ResourceClaimTemplateSpec {
  /** Labels and annotations for the claims. */
  metadata?: meta_v1.ObjectMeta;
  /** The spec of the claims. */
  spec?: ResourceClaimSpec;
}

/** The object that holds the parameters of a class. */
export interface ResourceClassParametersReference {
  /** Group of the object; empty for the core group. */
  apiGroup?: string;
  /** Kind of the object. */
  kind?: string;
  /** Name of the object. */
  name?: string;
  /** Namespace of the object; empty for cluster-scoped objects. */
  namespace?: string;
}

/** What one driver needs to know of an allocation. */
export interface ResourceHandle {
  /** The driver that this is for. Unset: the driver of the claim. */
  driverName?: string;
  /** The driver's own data, up to 16 KiB; nobody else interprets it. */
  data?: string;
}
