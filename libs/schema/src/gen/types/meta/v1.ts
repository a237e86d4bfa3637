// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject, JsonValue } from '@orch/machinery';

/** One API group, its versions and the one that clients should use. */
export interface APIGroup {
  apiVersion?: string;
  kind?: string;
  /** Name of the group; empty for the core group. */
  name?: string;
  /** The served versions of the group, the preferred first. */
  versions?: GroupVersionForDiscovery[];
  /** The version to use when the client has no reason to choose another. */
  preferredVersion?: GroupVersionForDiscovery;
  /** Addresses of the server by the network of the client. Unset: the client keeps the address that it has. */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
}

/** All API groups that the server has. */
export interface APIGroupList {
  apiVersion?: string;
  kind?: string;
  /** The groups in the order of their priority. */
  groups?: APIGroup[];
}

/** One resource of a group-version and what can be done with it. */
export interface APIResource {
  /** Plural name as it stands in paths; "plural/subresource" for a subresource. */
  name?: string;
  /** Name of one object as clients may let people type it. May be empty. */
  singularName?: string;
  /** Whether its objects lie in namespaces. */
  namespaced?: boolean;
  /** Group of the kind that is sent and returned. Empty: the group of the list that holds this entry. */
  group?: string;
  /** Version of the kind that is sent and returned. Empty: the version of the list that holds this entry. */
  version?: string;
  /** Kind of the objects that are sent and returned. */
  kind?: string;
  /** The verbs it answers, such as get, list, watch, create, update, patch, delete and deletecollection. */
  verbs?: string[];
  /** Abbreviations that clients may accept for the name. */
  shortNames?: string[];
  /** Groupings that it belongs to, such as "all". */
  categories?: string[];
  /** Opaque hash of the version that its objects are stored in. Only good for telling that two are equal or differ. */
  storageVersionHash?: string;
}

/** The resources of one group-version. */
export interface APIResourceList {
  apiVersion?: string;
  kind?: string;
  /** "group/version"; the version alone for the core group. */
  groupVersion?: string;
  /** The resources and their subresources. */
  resources?: APIResource[];
}

/** The versions of the core group. */
export interface APIVersions {
  apiVersion?: string;
  kind?: string;
  /** The versions served, the preferred first. */
  versions?: string[];
  /** Addresses of the server by the network of the client. Of several that fit, the longest prefix counts. */
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
}

/** How to apply a configuration. */
export interface ApplyOptions {
  apiVersion?: string;
  kind?: string;
  /** All runs every check and persists nothing. Unset: the change is persisted. */
  dryRun?: string[];
  /** Takes fields over from other managers instead of answering with a conflict. */
  force?: boolean;
  /** Who applies; the fields in the configuration become this manager's. */
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

/** How to create. */
export interface CreateOptions {
  apiVersion?: string;
  kind?: string;
  /** All runs every check and persists nothing. Unset: the object is persisted. */
  dryRun?: string[];
  /** Who the fields are recorded for, up to 128 printable characters. Unset: taken from the user agent. */
  fieldManager?: string;
  /** What happens on unknown and duplicate fields: Ignore drops them, Warn (the default) drops and warns, Strict refuses the request. */
  fieldValidation?: string;
}

/** How to delete. */
export interface DeleteOptions {
  apiVersion?: string;
  kind?: string;
  /** Seconds that the object gets to end. 0 removes it at once; unset takes the default of the kind. */
  gracePeriodSeconds?: number | bigint;
  /** What must hold of the object; if it does not, the answer is a conflict. */
  preconditions?: Preconditions;
  /** Deprecated: use propagationPolicy. True leaves the dependents alone, false has them collected. Not both may be set. */
  orphanDependents?: boolean;
  /** Orphan leaves dependents, Background collects them afterwards, Foreground before the object goes. Unset: by its finalizers and the default of the kind. */
  propagationPolicy?: string;
  /** All runs every check and removes nothing. Unset: the object is removed. */
  dryRun?: string[];
}

/** How to read one object. */
export interface GetOptions {
  apiVersion?: string;
  kind?: string;
  /** Unset reads the latest state, "0" any state at hand, any other value a state at least that new. */
  resourceVersion?: string;
}

/** A kind without a version. */
export interface GroupKind {
  /** The group; empty for the core group. */
  group?: string;
  /** The kind. */
  kind?: string;
}

/** A resource without a version. */
export interface GroupResource {
  /** The group; empty for the core group. */
  group?: string;
  /** The plural name of the resource. */
  resource?: string;
}

/** A version of a group. */
export interface GroupVersion {
  /** The group; empty for the core group. */
  group?: string;
  /** The version, such as v1. */
  version?: string;
}

/** A group-version, whole and its version alone. */
export interface GroupVersionForDiscovery {
  /** "group/version"; the version alone for the core group. */
  groupVersion?: string;
  /** The version, such as v1. */
  version?: string;
}

/** A kind in one version of its group. */
export interface GroupVersionKind {
  /** The group; empty for the core group. */
  group?: string;
  /** The version, such as v1. */
  version?: string;
  /** The kind. */
  kind?: string;
}

/** A resource in one version of its group. */
export interface GroupVersionResource {
  /** The group; empty for the core group. */
  group?: string;
  /** The version, such as v1. */
  version?: string;
  /** The plural name of the resource. */
  resource?: string;
}

/** Selects objects by their labels; all requirements must hold. Empty selects everything. */
export interface LabelSelector {
  /** Labels that an object must have with exactly these values. */
  matchLabels?: Record<string, string>;
  /** Further requirements on labels. */
  matchExpressions?: LabelSelectorRequirement[];
}

/** One requirement on the value of a label. */
export interface LabelSelectorRequirement {
  /** Key of the label. */
  key?: string;
  /** In and NotIn compare the value with the list; Exists and DoesNotExist look only at the key. */
  operator?: string;
  /** At least one with In and NotIn; none with Exists and DoesNotExist. */
  values?: string[];
}

/** A list of objects of any kinds. */
export interface List {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: ListMeta;
  /** The objects of the list. */
  items?: JsonObject[];
}

/** What every list has. */
export interface ListMeta {
  /** Unused. */
  selfLink?: string;
  /** Version of the collection at which the list was made. */
  resourceVersion?: string;
  /** Token to get the next part of the list with. */
  continue?: string;
  /** How many objects come after this part, when known. */
  remainingItemCount?: number | bigint;
}

/** How to list or watch. */
export interface ListOptions {
  apiVersion?: string;
  kind?: string;
  /** Restricts the objects by their labels, such as "app=web,tier!=test". Unset: all objects. */
  labelSelector?: string;
  /** Restricts the objects by fields that the kind supports, such as "metadata.name=web". Unset: all objects. */
  fieldSelector?: string;
  /** Streams changes instead of returning a list. */
  watch?: boolean;
  /** Lets the server send bookmarks: events that carry nothing but the version that the watch has reached. */
  allowWatchBookmarks?: boolean;
  /** For a list, the version to read at, by resourceVersionMatch; for a watch, the version after which changes are sent. Unset: the latest. */
  resourceVersion?: string;
  /** How resourceVersion applies to a list: NotOlderThan or Exact. Needs resourceVersion. */
  resourceVersionMatch?: string;
  /** Seconds after which the server ends the call, watch or not. */
  timeoutSeconds?: number | bigint;
  /** Highest number of objects in one answer; when more remain, the answer holds a continue token. 0 or unset: no limit. */
  limit?: number | bigint;
  /** Token from the answer before, to get the next part of the same list. When it has expired the answer is 410; the list must begin anew. */
  continue?: string;
  /** Has a watch begin with events for the present objects, closed by a bookmark. Needs resourceVersionMatch NotOlderThan. Alpha. */
  sendInitialEvents?: boolean;
}

/** The fields that one manager set, by one operation. */
export interface ManagedFieldsEntry {
  /** Name of the manager. */
  manager?: string;
  /** Apply for fields of applied configurations, Update for all other writes. */
  operation?: string;
  /** The group-version in whose terms the fields are written. */
  apiVersion?: string;
  /** When fields were last added to the entry or removed from it by its manager. */
  time?: string;
  /** Format of the fields; always FieldsV1. */
  fieldsType?: string;
  /** The set of fields. */
  fieldsV1?: JsonObject;
  /** The subresource that the fields were written through; empty for the object itself. */
  subresource?: string;
}

/** What every stored object has. */
export interface ObjectMeta {
  /** Name must be unique within a namespace, among the objects of its kind. Cannot be changed. */
  name?: string;
  /** GenerateName is an optional prefix that the server makes a unique name from when no name is given. */
  generateName?: string;
  /** Namespace defines the space within which the name is unique; empty for cluster-scoped objects. */
  namespace?: string;
  /** Unused. */
  selfLink?: string;
  /** UID is the unique in time and space value for this object; set by the server. */
  uid?: string;
  /** An opaque value that represents the version of the object, to detect changes and to start watches from. */
  resourceVersion?: string;
  /** A sequence number representing the desired state: it counts its changes. Set by the server. */
  generation?: number | bigint;
  /** CreationTimestamp is a timestamp representing the time of the server at which the object was created. */
  creationTimestamp?: string;
  /** DeletionTimestamp is RFC 3339 date and time at which the object will be gone; set by the server once deletion is asked for. */
  deletionTimestamp?: string;
  /** Number of seconds allowed for this object to end gracefully. */
  deletionGracePeriodSeconds?: number | bigint;
  /** Map of string keys and values to select objects by. */
  labels?: Record<string, string>;
  /** Annotations is an unstructured key value map for tools to keep data in; not for selecting. */
  annotations?: Record<string, string>;
  /** List of objects depended by this object; it is collected when all are gone. */
  ownerReferences?: OwnerReference[];
  /** Must be empty before the object is deleted; each is taken out by whoever put it in. */
  finalizers?: string[];
  /** ManagedFields maps managers to the fields that they have set. */
  managedFields?: ManagedFieldsEntry[];
}

/** An object that this one belongs to and is deleted with. */
export interface OwnerReference {
  /** Group-version of the owner. */
  apiVersion?: string;
  /** Kind of the owner. */
  kind?: string;
  /** Name of the owner. It lies in the same namespace or is cluster-scoped. */
  name?: string;
  /** Uid of the owner; tells it from others that had the same name. */
  uid?: string;
  /** True for the one owner that manages the object; at most one reference may say so. */
  controller?: boolean;
  /** True keeps an owner that is deleted in the foreground until this object is gone. Default: false. */
  blockOwnerDeletion?: boolean;
}

/** An object of any kind, reduced to its metadata. */
export interface PartialObjectMetadata {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: ObjectMeta;
}

/** A list of objects, reduced to their metadata. */
export interface PartialObjectMetadataList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: ListMeta;
  /** The objects of the list. */
  items?: PartialObjectMetadata[];
}

/** How to patch. */
export interface PatchOptions {
  apiVersion?: string;
  kind?: string;
  /** All runs every check and persists nothing. Unset: the change is persisted. */
  dryRun?: string[];
  /** Takes fields over from other managers. Only for apply patches; must be unset for all others. */
  force?: boolean;
  /** Who the fields are recorded for, up to 128 printable characters. Required for apply patches; else taken from the user agent when unset. */
  fieldManager?: string;
  /** What happens on unknown and duplicate fields: Ignore drops them, Warn (the default) drops and warns, Strict refuses the request. */
  fieldValidation?: string;
}

/** What must hold of an object for it to be deleted or changed. */
export interface Preconditions {
  /** The uid that the object must have. */
  uid?: string;
  /** The version that the object must be at. */
  resourceVersion?: string;
}

/** The paths that the server answers. */
export interface RootPaths {
  /** The paths, sorted. */
  paths?: string[];
}

/** The address that clients of one network reach the server at. */
export interface ServerAddressByClientCIDR {
  /** Network of the clients, such as 10.0.0.0/8. */
  clientCIDR?: string;
  /** Host or IP address, with a port where it is not the default. */
  serverAddress?: string;
}

/** The outcome of a request that returns no object. */
export interface Status {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: ListMeta;
  /** Success or Failure. */
  status?: string;
  /** A sentence for people on the outcome. */
  message?: string;
  /** A word for programs on why the request failed, such as NotFound, AlreadyExists or Conflict. */
  reason?: string;
  /** More on the failure; what it holds depends on the reason. */
  details?: StatusDetails;
  /** HTTP status code of the answer. */
  code?: number;
}

/** One cause of a failure; a refused object may have many. */
export interface StatusCause {
  /** A word for programs on the cause. */
  reason?: string;
  /** A sentence for people on the cause. */
  message?: string;
  /** Path of the field at fault, such as "spec.containers[0].name". */
  field?: string;
}

/** What a failure was about. */
export interface StatusDetails {
  /** Name of the object concerned, when there is one. */
  name?: string;
  /** Group of the kind or resource concerned. */
  group?: string;
  /** Kind, or sometimes the resource, concerned. */
  kind?: string;
  /** Uid of the object concerned, when it is known. */
  uid?: string;
  /** The single causes, when there are several or a field can be named. */
  causes?: StatusCause[];
  /** Seconds to wait before trying again; 0 or unset gives no advice. */
  retryAfterSeconds?: number;
}

/** Objects as rows for display. */
export interface Table {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: ListMeta;
  /** The columns, in the order of the cells. */
  columnDefinitions?: TableColumnDefinition[];
  /** One row for each object. */
  rows?: TableRow[];
}

/** One column of a table. */
export interface TableColumnDefinition {
  /** Heading of the column. */
  name?: string;
  /** OpenAPI type of the cells: string, integer, number or boolean, or date. */
  type?: string;
  /** Refines the type. "name" marks the column that identifies the object. */
  format?: string;
  /** What the column shows. */
  description?: string;
  /** 0 for columns that always show; higher ones may be left out where room is short. */
  priority?: number;
}

/** One object in a table. */
export interface TableRow {
  /** The values, one for each column. */
  cells?: JsonValue[];
  /** Observed conditions. */
  conditions?: TableRowCondition[];
  /** The object of the row: by the parameter includeObject its metadata (the default), the whole object, or nothing. */
  object?: JsonObject;
}

/** A state that the display of a row may take into account. */
export interface TableRowCondition {
  /** Kind of the condition; Completed marks an object that has run to its end. */
  type?: string;
  /** True, False or Unknown. */
  status?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
}

/** How to replace an object. */
export interface UpdateOptions {
  apiVersion?: string;
  kind?: string;
  /** All runs every check and persists nothing. Unset: the change is persisted. */
  dryRun?: string[];
  /** Who the fields are recorded for, up to 128 printable characters. Unset: taken from the user agent. */
  fieldManager?: string;
  /** What happens on unknown and duplicate fields: Ignore drops them, Warn (the default) drops and warns, Strict refuses the request. */
  fieldValidation?: string;
}

/** One change on a watch. */
export interface WatchEvent {
  /** ADDED, MODIFIED, DELETED, BOOKMARK or ERROR. */
  type?: string;
  /** The new state of the object; the last state after a deletion; a status on an error; only a version in a bookmark. */
  object?: JsonObject;
}
