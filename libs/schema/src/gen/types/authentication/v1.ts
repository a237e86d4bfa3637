// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

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

export interface BoundObjectReference {
  kind?: string;
  apiVersion?: string;
  name?: string;
  uid?: string;
}

/** Asks for a token of a service account. */
export interface TokenRequest {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: TokenRequestSpec;
  /** The observed state; written by the system. */
  status?: TokenRequestStatus;
}

export interface TokenRequestSpec {
  audiences?: string[];
  expirationSeconds?: number | bigint;
  boundObjectRef?: BoundObjectReference;
}

export interface TokenRequestStatus {
  token?: string;
  expirationTimestamp?: string;
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
