import type { Store, WriteOp, WriteOutcome } from '@orch/storage';
import { UNWRITTEN } from './write-request.js';

/**
 * Commits writes in one transaction; a single one on its own, as the store accepts it where it would refuse a set.
 * @returns outcome of the last write: of a deletion that is marked first, the removal
 */
export function commit(store: Store, ops: readonly WriteOp[]): Promise<WriteOutcome> {
  const [own] = ops;
  return own && ops.length === 1 ? store.write(own) : commitSet(store, ops);
}

async function commitSet(store: Store, ops: readonly WriteOp[]): Promise<WriteOutcome> {
  const outcome = await store.writeSet(ops);
  if (outcome.outcome === 'refused') return outcome.refusal;
  return { outcome: 'committed', version: outcome.versions.at(-1) ?? UNWRITTEN };
}
