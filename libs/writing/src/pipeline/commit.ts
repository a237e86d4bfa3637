import type { Store, WriteOp, WriteOutcome } from '@orch/storage';
import { UNWRITTEN } from './write-request.js';

/** One write alone may be placed where a set could not be. @returns what became of the last one: of a deletion that is marked before, the removal */
export function commit(store: Store, ops: readonly WriteOp[]): Promise<WriteOutcome> {
  const [own] = ops;
  return own && ops.length === 1 ? store.write(own) : commitSet(store, ops);
}

async function commitSet(store: Store, ops: readonly WriteOp[]): Promise<WriteOutcome> {
  const outcome = await store.writeSet(ops);
  if (outcome.outcome === 'refused') return outcome.refusal;
  return { outcome: 'committed', version: outcome.versions.at(-1) ?? UNWRITTEN };
}
