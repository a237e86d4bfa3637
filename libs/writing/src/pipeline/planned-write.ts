import type { ApiObject } from '@orch/machinery';
import type { Stored } from '@orch/resources';
import type { WriteOp } from '@orch/storage';
import type { Fate } from './allocation-fate.js';

/** What a write comes to. */
export interface WritePlan {
  /** To be written together or not at all, the object's own write first; empty when nothing changes. */
  readonly ops: readonly WriteOp[];
  /** What is there after it, as it lies; its version is that of the base, 0 for a new object. */
  readonly stored: Stored;
  /** What is answered: the same as the endpoint serves it, where that takes time. */
  readonly answer: Stored;
  /** As it was made of what was sent; in the stored version. */
  readonly object: ApiObject;
  /** The object is gone after it. */
  readonly removed: boolean;
  /** It takes or gives up addresses or ports: what is planned upon it before its fate is known could not be undone. */
  readonly changesClaims: boolean;
  /** To be called once the fate of the write is known; returns a promise only where something was taken for it. */
  conclude(fate: Fate): void | Promise<void>;
}
