import type { AllocationOwner, Allocators, ClaimStore, Hold } from '@orch/kinds';
import { StatusError } from '@orch/machinery';
import type { Store, TypeId, Version } from '@orch/storage';

/** A stored claim. Its version changes whenever its owner claims the value again. */
export interface Claim {
  /** Value that is claimed, such as an address or a port. */
  readonly value: string;
  /** UID of the owner. */
  readonly uid: string;
  /** Version of the row, for deletion and takeover on condition that nothing has changed. */
  readonly version: Version;
}

/** Claims that can be looked through. */
export interface StoredClaims extends ClaimStore {
  all(): Promise<ReadonlyMap<string, Claim>>;
  /** Frees a value whoever owns it, unless it was claimed again since. @returns whether it was freed */
  giveUp(claim: Claim): Promise<boolean>;
}

/** The claims on the values of each range. */
export type AllocationClaims = Readonly<Record<keyof Allocators, StoredClaims>>;

/** Types of the claims; not served. */
const CLAIM_TYPES = [
  { group: 'internal', resource: 'clusterips' },
  { group: 'internal', resource: 'nodeports' },
];

/** Claims that were overtaken so often are given back to the client to try again. */
const ATTEMPTS = 5;

/**
 * Hold on a value that the owner had claimed before; it is not released if the write fails, as the check of all claims
 * finds an unused one.
 */
const LEFT_ALONE: Hold = { release: async () => undefined };

/** Registers the types of claims in the store and opens both ranges. @throws StoreUnavailableError */
export async function openClaims(store: Store): Promise<AllocationClaims> {
  const [addresses = 0, ports = 0] = await store.registerTypes(CLAIM_TYPES);
  return { clusterIPs: storeClaims(store, addresses), nodePorts: storeClaims(store, ports) };
}

/**
 * Stores the owners of a range's values as rows of a type of their own: the creation of a row is atomic among all
 * servers.
 */
function storeClaims(store: Store, type: TypeId): StoredClaims {
  const at = (value: string) => ({ type, namespace: '', name: value });
  const giveUp = async ({ value, version }: Pick<Claim, 'value' | 'version'>): Promise<boolean> => {
    const body = Buffer.from(JSON.stringify({ metadata: { name: value } }));
    const { outcome } = await store.write({ op: 'delete', ...at(value), version, body });
    return outcome === 'committed';
  };
  const hold = (value: string, version: Version): Hold => ({
    release: async () => void (await giveUp({ value, version })),
  });
  return {
    giveUp,
    async claim(value: string, owner: AllocationOwner): Promise<Hold | undefined> {
      const body = Buffer.from(JSON.stringify({ metadata: { name: value, uid: owner.uid }, owner }));
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const made = await store.write({ op: 'create', ...at(value), uid: owner.uid, body, requireNamespace: false });
        if (made.outcome === 'committed') return hold(value, made.version);
        const row = await store.get(type, at(value));
        if (row && row.uid !== owner.uid) return undefined;
        if (!row) continue;
        // Rewritten to get a new version, so that no repair frees it because of its state before.
        const { version } = row;
        const again = await store.write({ op: 'update', ...at(value), version, body, terminating: false });
        if (again.outcome === 'committed') return LEFT_ALONE;
      }
      throw new StatusError('Conflict', `the allocation of ${value} is being changed by others`);
    },
    async held(value: string, owner: AllocationOwner): Promise<Hold | undefined> {
      const row = await store.get(type, at(value));
      return row?.uid === owner.uid ? hold(value, row.version) : undefined;
    },
    async isFree(value: string, owner: AllocationOwner): Promise<boolean> {
      const row = await store.get(type, at(value));
      return row === undefined || row.uid === owner.uid;
    },
    async all(): Promise<ReadonlyMap<string, Claim>> {
      const claims = new Map<string, Claim>();
      for await (const page of (await store.snapshot({ type })).pages)
        for (const { name: value, uid, version } of page) claims.set(value, { value, uid, version });
      return claims;
    },
  };
}
