// Generated from proto/ by `npm run generate`. Not to be edited.
import type * as meta_v1 from '../meta/v1.js';

/** Asks a signer for an X.509 certificate; approved or denied apart from being signed. */
export interface CertificateSigningRequest {
  apiVersion?: string;
  kind?: string;
  /** Standard metadata. */
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
  /** Standard metadata. */
  metadata?: meta_v1.ListMeta;
  /** The objects of the list. */
  items?: CertificateSigningRequest[];
}

export interface CertificateSigningRequestCondition {
  type?: string;
  status?: string;
  reason?: string;
  message?: string;
  lastUpdateTime?: string;
  /** When the condition last changed its status. */
  lastTransitionTime?: string;
}

export interface CertificateSigningRequestSpec {
  request?: string;
  signerName?: string;
  expirationSeconds?: number;
  usages?: ("any" | "cert sign" | "client auth" | "code signing" | "content commitment" | "crl sign" | "data encipherment" | "decipher only" | "digital signature" | "email protection" | "encipher only" | "ipsec end system" | "ipsec tunnel" | "ipsec user" | "key agreement" | "key encipherment" | "microsoft sgc" | "netscape sgc" | "ocsp signing" | "s/mime" | "server auth" | "signing" | "timestamping")[];
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

export interface CertificateSigningRequestStatus {
  /** Observed conditions. */
  conditions?: CertificateSigningRequestCondition[];
  certificate?: string;
}
