import { forbidden } from '@orch/machinery';
import type { Endpoint } from '../served/endpoint.js';

/** Namespaces that every installation has. */
export const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'] as const;

/** Those of them that cannot be deleted. */
const PROTECTED: ReadonlySet<string> = new Set(['default', 'kube-system', 'kube-public']);

/** @throws StatusError 403 for a namespace that the installation cannot do without */
export function checkDeletable({ groupResource }: Endpoint, name: string): void {
  if (groupResource.group === '' && groupResource.resource === 'namespaces' && PROTECTED.has(name)) {
    throw forbidden(groupResource, name, 'this namespace may not be deleted');
  }
}
