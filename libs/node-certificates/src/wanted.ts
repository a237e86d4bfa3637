import { isIP } from 'node:net';
import type { CertificateSubject } from '@orch/authentication';

/** Certificate that a node requests from a signer. */
export interface WantedCertificate {
  /** Signer, in `orch` names. */
  readonly signer: string;
  /** Name of the holder. */
  readonly subject: CertificateSubject;
  /** Usages that are asked for. */
  readonly usages: readonly string[];
  /** DNS names and IP addresses; empty for a client. */
  readonly hosts: readonly string[];
}

/** An address of a Node's status. */
export interface NodeAddress {
  /** `InternalIP`, `Hostname` and so on. */
  readonly type: string;
  /** The address. */
  readonly address: string;
}

const subjectOf = (node: string): CertificateSubject => ({
  commonName: `system:node:${node}`,
  organizations: ['system:nodes'],
});

/** The certificate by which an agent is the user `system:node:<node>`. */
export const wantedByClient = (node: string): WantedCertificate => ({
  signer: 'orch.io/kube-apiserver-client-kubelet',
  subject: subjectOf(node),
  usages: ['digital signature', 'client auth'],
  hosts: [],
});

/** The certificate of an agent's port, for the addresses of its Node; undefined while that has none. */
export function wantedByServer(node: string, addresses: readonly NodeAddress[]): WantedCertificate | undefined {
  const hosts = [...new Set(addresses.filter(isCertifiable).map(({ address }) => address))].sort();
  if (hosts.length === 0) return undefined;
  return {
    signer: 'orch.io/kubelet-serving',
    subject: subjectOf(node),
    usages: ['digital signature', 'server auth'],
    hosts,
  };
}

/** Whether a certificate can hold an address: the rules of `addressesToHostnamesAndIPs` in the reference. */
function isCertifiable({ type, address }: NodeAddress): boolean {
  if (address === '') return false;
  return type.endsWith('IP') ? isIP(address) !== 0 : type === 'Hostname' || type.endsWith('DNS');
}
