import { dnsLabelErrors, dnsSubdomainErrors } from '@orch/machinery';

/** A service account, by which its user name is made. */
export interface ServiceAccountName {
  /** That it lies in. */
  readonly namespace: string;
  /** Within its namespace. */
  readonly name: string;
}

/** The user that a service account is (spec: "Service account tokens"). */
export const serviceAccountUser = ({ namespace, name }: ServiceAccountName): string =>
  `system:serviceaccount:${namespace}:${name}`;

/** The groups that a service account is in. */
export const serviceAccountGroups = (namespace: string): string[] => [
  'system:serviceaccounts',
  `system:serviceaccounts:${namespace}`,
];

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** The service account that has this user name; undefined for all other names. */
export function serviceAccountOf(userName: string): ServiceAccountName | undefined {
  const [, namespace = '', name = ''] = SERVICE_ACCOUNT.exec(userName) ?? [];
  const isOne = dnsLabelErrors(namespace).length === 0 && dnsSubdomainErrors(name).length === 0;
  return isOne ? { namespace, name } : undefined;
}
