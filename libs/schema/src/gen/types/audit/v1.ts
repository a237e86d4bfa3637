// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject } from '@orch/machinery';
import type * as authentication_v1 from '../authentication/v1.js';
import type * as meta_v1 from '../meta/v1.js';

export interface Event {
  apiVersion?: string;
  kind?: string;
  level?: string;
  auditID?: string;
  stage?: string;
  requestURI?: string;
  verb?: string;
  user?: authentication_v1.UserInfo;
  impersonatedUser?: authentication_v1.UserInfo;
  sourceIPs?: string[];
  userAgent?: string;
  objectRef?: ObjectReference;
  responseStatus?: meta_v1.Status;
  requestObject?: JsonObject;
  responseObject?: JsonObject;
  requestReceivedTimestamp?: string;
  stageTimestamp?: string;
  annotations?: Record<string, string>;
}

/** A collection of Event objects. */
export interface EventList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Event[];
}

export interface GroupResources {
  group?: string;
  resources?: string[];
  resourceNames?: string[];
}

export interface ObjectReference {
  resource?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  apiGroup?: string;
  apiVersion?: string;
  resourceVersion?: string;
  subresource?: string;
}

export interface Policy {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  rules?: PolicyRule[];
  omitStages?: string[];
  omitManagedFields?: boolean;
}

/** A collection of Policy objects. */
export interface PolicyList {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: Policy[];
}

export interface PolicyRule {
  level?: string;
  users?: string[];
  userGroups?: string[];
  verbs?: string[];
  resources?: GroupResources[];
  namespaces?: string[];
  nonResourceURLs?: string[];
  omitStages?: string[];
  omitManagedFields?: boolean;
}
