// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

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

/** An object that a token lives and dies with. */
export interface BoundObjectReference {
  /** Pod or Secret. */
  kind?: string;
  /** Group-version of the object. */
  apiVersion?: string;
  /** Name of the object. */
  name?: string;
  /** Uid of the object. */
  uid?: string;
}

/** Asks for a token of a service account. */
export interface TokenRequest {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: TokenRequestSpec;
  /** The observed state; written by the system. */
  status?: TokenRequestStatus;
}

/** What kind of token is wanted. */
export interface TokenRequestSpec {
  /** Who the token is to be for. Empty: the API server itself. */
  audiences?: string[];
  /** Seconds that the token should be good for, at least 600; the server may issue it for another span. Default: 3600. */
  expirationSeconds?: number | bigint;
  /** The token is only good while this object exists. Unset: until it expires. */
  boundObjectRef?: BoundObjectReference;
}

/** The issued token. */
export interface TokenRequestStatus {
  /** The token. */
  token?: string;
  /** When it expires. */
  expirationTimestamp?: string;
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
