import { dnsLabelErrors, dnsSubdomainErrors } from '@orch/machinery';

/** A service account, from which its user name is derived. */
export interface ServiceAccountName {
  /** Namespace of the account. */
  readonly namespace: string;
  /** Within its namespace. */
  readonly name: string;
}

/** Returns the user name of a service account (spec: "Service account tokens"). */
export const serviceAccountUser = ({ namespace, name }: ServiceAccountName): string =>
  `system:serviceaccount:${namespace}:${name}`;

/** Returns the groups of a service account. */
export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Returns the service account with a user name; undefined for all other names. */
export function serviceAccountOf(userName: string): ServiceAccountName | undefined {
  const [, namespace = '', name = ''] = SERVICE_ACCOUNT.exec(userName) ?? [];
  const isOne = dnsLabelErrors(namespace).length === 0 && dnsSubdomainErrors(name).length === 0;
  return isOne ? { namespace, name } : undefined;
}
