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

/** Asks who a bearer token belongs to. */
export interface TokenReview {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: TokenReviewSpec;
  /** The observed state; written by the system. */
  status?: TokenReviewStatus;
}

/** The token in question. */
export interface TokenReviewSpec {
  /** The bearer token. */
  token?: string;
  /** Who the token must be for, one of these at least. Unset: the API server itself. */
  audiences?: string[];
}

/** What the token turned out to be. */
export interface TokenReviewStatus {
  /** Whether the token is good. */
  authenticated?: boolean;
  /** Who it belongs to, if it is good. */
  user?: UserInfo;
  /** Which of the asked-for audiences the token is good for. */
  audiences?: string[];
  /** Why the token could not be checked. */
  error?: string;
}

/** A user as the server knows one. */
export interface UserInfo {
  /** Name of the user, unique among users. */
  username?: string;
  /** Tells the user from others who had the same name at other times. */
  uid?: string;
  /** Groups that the user belongs to. */
  groups?: string[];
  /** More about the user, by key. */
  extra?: Record<string, string[]>;
}
