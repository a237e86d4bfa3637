import type { Names } from '@orch/machinery';
import type { CertificateRequest } from './certificate-request.js';

/** The signers of the control plane, as options name them. */
export type SignerId = 'kube-apiserver-client' | 'kubelet-client' | 'kubelet-serving' | 'legacy-unknown';

/** A signer, and the rules for the requests that it signs. */
export interface Signer {
  /** Its name in options. */
  readonly id: SignerId;
  /** Its name in requests, in `orch` names. */
  readonly canonicalName: string;
  /** Returns why it does not sign a request; undefined if it does. */
  refusal(request: CertificateRequest, usages: readonly string[]): string | undefined;
}

/** Name of the signer of clients' certificates, in `orch` names. */
export const CLIENT_SIGNER = 'orch.io/apiserver-client';

const NODES = 'system:nodes';
const NODE_PREFIX = 'system:node:';
const ENCIPHERMENT = 'key encipherment';
const SIGNATURE = 'digital signature';

/**
 * The signers of the control plane, with the rules of the reference (`pkg/apis/certificates/helpers.go`,
 * `pkg/controller/certificates/signer`).
 */
export const SIGNERS: readonly Signer[] = [
  { id: 'kube-apiserver-client', canonicalName: CLIENT_SIGNER, refusal: (_request, usages) => clientRefusal(usages) },
  { id: 'kubelet-client', canonicalName: 'orch.io/kube-apiserver-client-kubelet', refusal: nodeClientRefusal },
  { id: 'kubelet-serving', canonicalName: 'orch.io/kubelet-serving', refusal: nodeServingRefusal },
  // New requests cannot be made through v1; existing ones are signed as they are.
  { id: 'legacy-unknown', canonicalName: 'orch.io/legacy-unknown', refusal: () => undefined },
];

/** Returns the signer of a name; undefined for other signers. */
export const signerOf = (name: string, names: Names): Signer | undefined =>
  SIGNERS.find(({ canonicalName }) => names.key(canonicalName) === name);

function clientRefusal(usages: readonly string[]): string | undefined {
  const wrong = usages.find((usage) => usage !== 'client auth' && usage !== SIGNATURE && usage !== ENCIPHERMENT);
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

function nodeClientRefusal(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const { dnsNames, emailAddresses, ipAddresses, uris } = request;
  return (
    organizationRefusal(request) ??
    (dnsNames.length > 0 ? 'DNS subjectAltNames are not allowed' : undefined) ??
    (emailAddresses.length > 0 ? 'Email subjectAltNames are not allowed' : undefined) ??
    (ipAddresses.length > 0 ? 'IP subjectAltNames are not allowed' : undefined) ??
    (uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined) ??
    commonNameRefusal(request) ??
    usagesRefusal(usages, 'client auth')
  );
}

function nodeServingRefusal(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const { dnsNames, emailAddresses, ipAddresses, uris } = request;
  return (
    organizationRefusal(request) ??
    (dnsNames.length + ipAddresses.length === 0 ? 'DNS or IP subjectAltName is required' : undefined) ??
    (emailAddresses.length > 0 ? 'Email subjectAltNames are not allowed' : undefined) ??
    (uris.length > 0 ? 'URI subjectAltNames are not allowed' : undefined) ??
    usagesRefusal(usages, 'server auth') ??
    commonNameRefusal(request)
  );
}

const organizationRefusal = ({ organizations }: CertificateRequest): string | undefined =>
  organizations.length === 1 && organizations[0] === NODES ? undefined : `subject organization is not ${NODES}`;

const commonNameRefusal = ({ commonName }: CertificateRequest): string | undefined =>
  commonName.startsWith(NODE_PREFIX) ? undefined : `subject common name does not begin with ${NODE_PREFIX}`;

/** Refuses usages other than those of a purpose; key encipherment, which only RSA keys have, is optional. */
function usagesRefusal(usages: readonly string[], purpose: string): string | undefined {
  const asked = new Set(usages);
  asked.delete(ENCIPHERMENT);
  if (asked.size === 2 && asked.has(SIGNATURE) && asked.has(purpose)) return undefined;
  return `usages did not match [${[SIGNATURE, ENCIPHERMENT, purpose].sort().join(' ')}]`;
}
