// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject } from '@orch/machinery';
import type * as authentication_v1 from '../authentication/v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** The request that is to be let through or refused. */
export interface AdmissionRequest {
  /** Tells the call from others; the answer must repeat it. */
  uid?: string;
  /** Kind of the object, in the version that the webhook asked for. */
  kind?: meta_v1.GroupVersionKind;
  /** Resource of the request, in the version that the webhook asked for. */
  resource?: meta_v1.GroupVersionResource;
  /** Subresource of the request. Empty: none. */
  subResource?: string;
  /** Kind of the object as the client sent it. */
  requestKind?: meta_v1.GroupVersionKind;
  /** Resource as the client named it. */
  requestResource?: meta_v1.GroupVersionResource;
  /** Subresource as the client named it. */
  requestSubResource?: string;
  /** Name of the object; may be empty when the server makes the name. */
  name?: string;
  /** Namespace of the request; empty outside of namespaces. */
  namespace?: string;
  /** CREATE, UPDATE, DELETE or CONNECT. */
  operation?: string;
  /** Who makes the request. */
  userInfo?: authentication_v1.UserInfo;
  /** The object as it would become; null on deletion. */
  object?: JsonObject;
  /** The object as it is; null on creation and connecting. */
  oldObject?: JsonObject;
  /** Whether nothing will be persisted, so that nothing elsewhere may change either. Default: false. */
  dryRun?: boolean;
  /** The options of the request, such as those of a deletion. */
  options?: JsonObject;
}

/** The answer of a webhook. */
export interface AdmissionResponse {
  /** The uid of the request. */
  uid?: string;
  /** Whether the request is let through. */
  allowed?: boolean;
  /** Why it is refused. Not used when it is let through. */
  status?: meta_v1.Status;
  /** Changes to the object, in base64. Only by mutating webhooks. */
  patch?: string;
  /** Form of the patch; always JSONPatch. */
  patchType?: string;
  /** Notes for the audit log; the name of the webhook is put before the keys. */
  auditAnnotations?: Record<string, string>;
  /** Warnings for the client, best under 120 characters each. */
  warnings?: string[];
}

/** What an admission webhook is sent and answers. */
export interface AdmissionReview {
  apiVersion?: string;
  kind?: string;
  /** Set in the call. */
  request?: AdmissionRequest;
  /** Set in the answer. */
  response?: AdmissionResponse;
}
