import type { Store, WriteOp, WriteOutcome } from '@orch/storage';
import { UNWRITTEN } from './write-plan.js';

/** One write alone may be placed where a set could not be. @returns what became of the object's own write, the first */
export async function commit(store: Store, ops: readonly WriteOp[]): Promise<WriteOutcome> {
  const [own, ...others] = ops;
  if (own && others.length === 0) return store.write(own);
  const outcome = await store.writeSet(ops);
  if (outcome.outcome === 'refused') return outcome.refusal;
  return { outcome: 'committed', version: outcome.versions[0] ?? UNWRITTEN };
}
