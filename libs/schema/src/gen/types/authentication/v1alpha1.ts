// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as authentication_v1 from './v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Tells the caller who the server takes it for. */
export interface SelfSubjectReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The observed state; written by the system. */
  status?: SelfSubjectReviewStatus;
}

/** Who the caller is. */
export interface SelfSubjectReviewStatus {
  /** Attributes of the caller. */
  userInfo?: authentication_v1.UserInfo;
}
