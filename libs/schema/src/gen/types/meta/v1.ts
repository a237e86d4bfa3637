// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject, JsonValue } from '@orch/machinery';

export interface APIGroup {
  apiVersion?: string;
  kind?: string;
  name?: string;
  versions?: GroupVersionForDiscovery[];
  preferredVersion?: GroupVersionForDiscovery;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
}

export interface APIGroupList {
  apiVersion?: string;
  kind?: string;
  groups?: APIGroup[];
}

export interface APIResource {
  name?: string;
  singularName?: string;
  namespaced?: boolean;
  group?: string;
  version?: string;
  kind?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
}

export interface APIResourceList {
  apiVersion?: string;
  kind?: string;
  groupVersion?: string;
  resources?: APIResource[];
}

export interface APIVersions {
  apiVersion?: string;
  kind?: string;
  versions?: string[];
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
}

export interface ApplyOptions {
  apiVersion?: string;
  kind?: string;
  dryRun?: string[];
  force?: boolean;
  fieldManager?: string;
}

/** One aspect of the state of an object. */
export interface Condition {
  /** What the condition is about. */
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

export interface CreateOptions {
  apiVersion?: string;
  kind?: string;
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
}

/** How to delete. */
export interface DeleteOptions {
  apiVersion?: string;
  kind?: string;
  gracePeriodSeconds?: number | bigint;
  preconditions?: Preconditions;
  orphanDependents?: boolean;
  propagationPolicy?: string;
  dryRun?: string[];
}

export interface GetOptions {
  apiVersion?: string;
  kind?: string;
  resourceVersion?: string;
}

export interface GroupKind {
  group?: string;
  kind?: string;
}

export interface GroupResource {
  group?: string;
  resource?: string;
}

export interface GroupVersion {
  group?: string;
  version?: string;
}

export interface GroupVersionForDiscovery {
  groupVersion?: string;
  version?: string;
}

export interface GroupVersionKind {
  group?: string;
  version?: string;
  kind?: string;
}

export interface GroupVersionResource {
  group?: string;
  version?: string;
  resource?: string;
}

/** Selects objects by their labels; all requirements must hold. Empty selects everything. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  key?: string;
  operator?: string;
  values?: string[];
}

export interface List {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: ListMeta;
  /** The objects of the list. */
  items?: JsonObject[];
}

/** What every list has. */
export interface ListMeta {
  selfLink?: string;
  /** Version of the collection at which the list was made. */
  resourceVersion?: string;
  /** Token to get the next part of the list with. */
  continue?: string;
  /** How many objects come after this part, when known. */
  remainingItemCount?: number | bigint;
}

export interface ListOptions {
  apiVersion?: string;
  kind?: string;
  labelSelector?: string;
  fieldSelector?: string;
  watch?: boolean;
  allowWatchBookmarks?: boolean;
  resourceVersion?: string;
  resourceVersionMatch?: string;
  timeoutSeconds?: number | bigint;
  limit?: number | bigint;
  continue?: string;
  sendInitialEvents?: boolean;
}

/** The fields that one manager set, by one operation. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
}

/** What every stored object has. */
export interface ObjectMeta {
  /** Unique among the objects of its kind in the namespace. Cannot be changed. */
  name?: string;
  /** Prefix that the server makes a unique name from when no name is given. */
  generateName?: string;
  /** The namespace that the name is unique in; empty for cluster-scoped objects. */
  namespace?: string;
  /** Unused. */
  selfLink?: string;
  /** Unique in time and space; set by the server. */
  uid?: string;
  /** Opaque version of the object, to detect changes and to start watches from. */
  resourceVersion?: string;
  /** Counts changes of the desired state; set by the server. */
  generation?: number | bigint;
  /** When the object was created; set by the server. */
  creationTimestamp?: string;
  /** When the object will be gone; set by the server once deletion is asked for. */
  deletionTimestamp?: string;
  /** Seconds that the object has left to end gracefully. */
  deletionGracePeriodSeconds?: number | bigint;
  /** Keys and values to select objects by. */
  labels?: Record<string, string>;
  /** Keys and values for tools to keep data in; not for selecting. */
  annotations?: Record<string, string>;
  /** Objects that this one depends on; it is collected when all are gone. */
  ownerReferences?: OwnerReference[];
  /** Must be empty before the object is removed; each is taken out by whoever put it in. */
  finalizers?: string[];
  /** Which manager set which fields. */
  managedFields?: ManagedFieldsEntry[];
}

/** An object that this one belongs to and is deleted with. */
export interface OwnerReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

/** An object of any kind, reduced to its metadata. */
export interface PartialObjectMetadata {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: ObjectMeta;
}

export interface PartialObjectMetadataList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: ListMeta;
  /** The objects of the list. */
  items?: PartialObjectMetadata[];
}

export interface PatchOptions {
  apiVersion?: string;
  kind?: string;
  dryRun?: string[];
  force?: boolean;
  fieldManager?: string;
  fieldValidation?: string;
}

export interface Preconditions {
  uid?: string;
  resourceVersion?: string;
}

export interface RootPaths {
  paths?: string[];
}

export interface ServerAddressByClientCIDR {
  clientCIDR?: string;
  serverAddress?: string;
}

/** The outcome of a request that returns no object. */
export interface Status {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: ListMeta;
  status?: string;
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** Objects as rows for display. */
export interface Table {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: ListMeta;
  columnDefinitions?: TableColumnDefinition[];
  rows?: TableRow[];
}

export interface TableColumnDefinition {
  name?: string;
  type?: string;
  format?: string;
  description?: string;
  priority?: number;
}

export interface TableRow {
  cells?: JsonValue[];
  /** Observed conditions. */
  conditions?: TableRowCondition[];
  object?: JsonObject;
}

export interface TableRowCondition {
  type?: string;
  status?: string;
  reason?: string;
  message?: string;
}

export interface UpdateOptions {
  apiVersion?: string;
  kind?: string;
  dryRun?: string[];
  fieldManager?: string;
  fieldValidation?: string;
}

/** One change on a watch. */
export interface WatchEvent {
  type?: string;
  object?: JsonObject;
}
