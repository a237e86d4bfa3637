import type { Claims, Owner } from '@orch/kinds';
import { StatusError } from '@orch/machinery';
import type { Store, TypeId } from '@orch/storage';

/** Keeps who holds which value of a range as rows of a type of their own: creating one is atomic between all servers. */
export function storeClaims(store: Store, type: TypeId): Claims {
  const keyOf = (value: string) => ({ namespace: '', name: value });
  return {
    async claim(value: string, owner: Owner): Promise<boolean> {
      const metadata = { name: value, uid: owner.uid };
      const body = Buffer.from(JSON.stringify({ metadata, owner }));
      const op = { op: 'create', type, ...keyOf(value), uid: owner.uid, body, requireNamespace: false } as const;
      const outcome = await store.write(op);
      if (outcome.outcome === 'committed') return true;
      return (await store.get(type, keyOf(value)))?.uid === owner.uid;
    },
    async release(value: string, owner: Owner): Promise<void> {
      const row = await store.get(type, keyOf(value));
      if (row?.uid !== owner.uid) return;
      const { version, body } = row;
      const outcome = await store.write({ op: 'delete', type, ...keyOf(value), version, body });
      // A conflict would mean that the value changed hands in between, which only its holder may do.
      if (outcome.outcome === 'conflict')
        throw new StatusError('Conflict', `allocation of ${value} was changed meanwhile`);
    },
  };
}
