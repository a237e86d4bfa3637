// Generated from proto/ by `npm run generate`. Not to be edited.
import type { JsonObject } from '@orch/machinery';
import type * as authentication_v1 from '../authentication/v1.js';
import type * as meta_v1 from '../meta/v1.js';

export interface AdmissionRequest {
  uid?: string;
  kind?: meta_v1.GroupVersionKind;
  resource?: meta_v1.GroupVersionResource;
  subResource?: string;
  requestKind?: meta_v1.GroupVersionKind;
  requestResource?: meta_v1.GroupVersionResource;
  requestSubResource?: string;
  name?: string;
  namespace?: string;
  operation?: string;
  userInfo?: authentication_v1.UserInfo;
  object?: JsonObject;
  oldObject?: JsonObject;
  dryRun?: boolean;
  options?: JsonObject;
}

export interface AdmissionResponse {
  uid?: string;
  allowed?: boolean;
  status?: meta_v1.Status;
  patch?: string;
  patchType?: string;
  auditAnnotations?: Record<string, string>;
  warnings?: string[];
}

/** What an admission webhook is sent and answers. */
export interface AdmissionReview {
  apiVersion?: string;
  kind?: string;
  request?: AdmissionRequest;
  response?: AdmissionResponse;
}
