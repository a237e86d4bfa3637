// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as authentication_v1 from './v1.js';
import type * as meta_v1 from '../meta/v1.js';

/** Tells the caller who the server takes it for. */
export interface SelfSubjectReview {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The observed state; written by the system. */
  status?: SelfSubjectReviewStatus;
}

export interface SelfSubjectReviewStatus {
  userInfo?: authentication_v1.UserInfo;
}

/** Asks who a bearer token belongs to. */
export interface TokenReview {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: TokenReviewSpec;
  /** The observed state; written by the system. */
  status?: TokenReviewStatus;
}

export interface TokenReviewSpec {
  token?: string;
  audiences?: string[];
}

export interface TokenReviewStatus {
  authenticated?: boolean;
  user?: UserInfo;
  audiences?: string[];
  error?: string;
}

export interface UserInfo {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}
