// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Asks a signer for an X.509 certificate; approved or denied apart from being signed. */
export interface CertificateSigningRequest {
  apiVersion?: string;
  kind?: string;
  /** Standard object's metadata. */
  metadata?: meta_v1.ObjectMeta;
  /** The desired state. */
  spec?: CertificateSigningRequestSpec;
  /** The observed state; written by the system. */
  status?: CertificateSigningRequestStatus;
}

/** A collection of CertificateSigningRequest objects. */
export interface CertificateSigningRequestList {
  apiVersion?: string;
  kind?: string;
  /** Standard list metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CertificateSigningRequest[];
}

/** One aspect of the state of a request. */
export interface CertificateSigningRequestCondition {
  /** Approved, Denied or Failed. Not both of the first two, and neither can be taken back. */
  type?: string;
  /** True, False or Unknown. Must be True for these three. */
  status?: string;
  /** A word for programs on why. */
  reason?: string;
  /** A sentence for people on why. */
  message?: string;
  /** When the condition was last written. */
  lastUpdateTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
}

/** What is to be signed and who asks. Cannot be changed. */
export interface CertificateSigningRequestSpec {
  /** The PKCS#10 request as PEM, in base64. */
  request?: string;
  /** The signer that is to sign it, as a qualified name. */
  signerName?: string;
  /** Seconds that the certificate should be good for, at least 600; signers may choose otherwise. Unset: up to the signer. */
  expirationSeconds?: number;
  /** What the key may be used for. */
  usages?: ("any" | "cert sign" | "client auth" | "code signing" | "content commitment" | "crl sign" | "data encipherment" | "decipher only" | "digital signature" | "email protection" | "encipher only" | "ipsec end system" | "ipsec tunnel" | "ipsec user" | "key agreement" | "key encipherment" | "microsoft sgc" | "netscape sgc" | "ocsp signing" | "s/mime" | "server auth" | "signing" | "timestamping")[];
  /** Who made the request; set by the server. */
  username?: string;
  /** Uid of who made the request; set by the server. */
  uid?: string;
  /** Groups of who made the request; set by the server. */
  groups?: string[];
  /** More about who made the request; set by the server. */
  extra?: Record<string, string[]>;
}

/** What has become of a request. */
export interface CertificateSigningRequestStatus {
  /** Observed conditions. */
  conditions?: CertificateSigningRequestCondition[];
  /** The signed certificate as PEM, in base64; others of its chain may follow. Cannot be changed once set. */
  certificate?: string;
}
