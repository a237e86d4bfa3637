import type { AllocationOwner, ClaimStore, Hold } from '../allocation/allocator.js';

/** Claims of one process, for tests. */
export class MemoryClaims implements ClaimStore {
  /** Who has which value, by uid. */
  readonly taken = new Map<string, string>();
  async claim(value: string, owner: AllocationOwner): Promise<Hold | undefined> {
    if (!this.taken.has(value)) this.taken.set(value, owner.uid);
    return this.#hold(value, owner);
  }
  async held(value: string, owner: AllocationOwner): Promise<Hold | undefined> {
    return this.#hold(value, owner);
  }
  async isFree(value: string, owner: AllocationOwner): Promise<boolean> {
    return (this.taken.get(value) ?? owner.uid) === owner.uid;
  }
  async all(): Promise<ReadonlyMap<string, string>> {
    return new Map(this.taken);
  }
  #hold(value: string, owner: AllocationOwner): Hold | undefined {
    if (this.taken.get(value) !== owner.uid) return undefined;
    return { release: async () => void this.taken.delete(value) };
  }
}
