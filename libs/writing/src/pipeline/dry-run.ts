import { type Endpoint, fromStored } from '@orch/resources';
import type { CreateOp, Store, WriteOutcome } from '@orch/storage';

/** Computes the outcome of a creation without writing it. @param namespaces endpoint of namespaces */
export async function triedCreation(
  store: Pick<Store, 'get'>,
  namespaces: Endpoint,
  { type, namespace, name, requireNamespace }: CreateOp,
): Promise<WriteOutcome> {
  if (requireNamespace) {
    const row = await store.get(namespaces.type, { namespace: '', name: namespace });
    if (!row) return { outcome: 'namespace-not-found' };
    const { metadata } = fromStored(row, namespaces);
    if (metadata?.deletionTimestamp !== undefined) return { outcome: 'namespace-terminating' };
  }
  const existing = await store.get(type, { namespace, name });
  return existing ? { outcome: 'already-exists' } : { outcome: 'committed', version: 0n };
}
