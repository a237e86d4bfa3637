// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject } from '@orch/machinery';
import type * as authentication_v1 from '../authentication/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** The record of one stage of a request. */
export interface Event {
  apiVersion?: string;
  kind?: string;
  /** How much was recorded: Metadata, Request or RequestResponse. */
  level?: string;
  /** Id of the request, the same in all its stages. */
  auditID?: string;
  /** RequestReceived, ResponseStarted, ResponseComplete or Panic. */
  stage?: string;
  /** Path and query as the client sent them. */
  requestURI?: string;
  /** Verb of a request for a resource; the HTTP method in lower case for others. */
  verb?: string;
  /** Who made the request. */
  user?: authentication_v1.UserInfo;
  /** On whose behalf it was made. Unset: nobody else's. */
  impersonatedUser?: authentication_v1.UserInfo;
  /** Addresses that the request came from and through; all but the last can be forged. */
  sourceIPs?: string[];
  /** User agent that the client claims; not to be trusted. */
  userAgent?: string;
  /** What the request was for. Unset for requests that are not for resources. */
  objectRef?: ObjectReference;
  /** The outcome; of a success only the code. */
  responseStatus?: meta_v1.Status;
  /** Body of the request as JSON. From level Request up. */
  requestObject?: JsonObject;
  /** Body of the answer as JSON. At level RequestResponse. */
  responseObject?: JsonObject;
  /** When the request arrived. */
  requestReceivedTimestamp?: string;
  /** When this stage was reached. */
  stageTimestamp?: string;
  /** Notes by parts of the server, such as why the request was allowed. */
  annotations?: Record<string, string>;
}

/** A collection of Event objects. */
export interface EventList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Event[];
}

/** Resources of one group, or single objects of them. */
export interface GroupResources {
  /** The group; empty for the core group. */
  group?: string;
  /** Resources: "pods", "pods/log", "pods/*" for all of its subresources, "*" for all. Unset: all of the group. */
  resources?: string[];
  /** Names of objects. Unset: all objects. Only with resources. */
  resourceNames?: string[];
}

/** What a request was for. */
export interface ObjectReference {
  /** Plural name of the resource. */
  resource?: string;
  /** Namespace of the request. */
  namespace?: string;
  /** Name of the object. */
  name?: string;
  /** Uid of the object. */
  uid?: string;
  /** Group of the resource; empty for the core group. */
  apiGroup?: string;
  /** Version of the resource. */
  apiVersion?: string;
  /** Version of the object. */
  resourceVersion?: string;
  /** Name of the subresource. Empty: none. */
  subresource?: string;
}

/** What is recorded of which requests. */
export interface Policy {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** Tried in order; the first that matches decides. When none does, nothing is recorded. */
  rules?: PolicyRule[];
  /** Stages that are not recorded, whatever the rules say. */
  omitStages?: string[];
  /** Leaves managed fields out of recorded bodies. Default: false. */
  omitManagedFields?: boolean;
}

/** A collection of Policy objects. */
export interface PolicyList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Policy[];
}

/** What is recorded of the requests that match. Lists that are unset match everything. */
export interface PolicyRule {
  /** None, Metadata, Request or RequestResponse. */
  level?: string;
  /** Names of users. Unset: all. */
  users?: string[];
  /** Groups, one of which the user must belong to. Unset: all. */
  userGroups?: string[];
  /** Verbs. Unset: all. */
  verbs?: string[];
  /** Resources. Unset, as nonResourceURLs too: all requests. Excludes nonResourceURLs. */
  resources?: GroupResources[];
  /** Namespaces; empty text for requests outside of them. Unset: all. */
  namespaces?: string[];
  /** Paths that are not resources; a final "*" stands for all that follows. */
  nonResourceURLs?: string[];
  /** Stages that are not recorded, beside those of the policy. */
  omitStages?: string[];
  /** Leaves managed fields out of recorded bodies. Unset: as the policy says. */
  omitManagedFields?: boolean;
}
