import type { ApiObject } from '@orch/machinery';
import type { Endpoint, Stored } from '@orch/resources';
import type { WriteOp } from '@orch/storage';
import type { AllocationOutcome } from './allocation-outcome.js';

/** A planned write: operations and response. */
export interface WritePlan {
  /** Endpoint of the object. */
  readonly endpoint: Endpoint;
  /** To be written together or not at all, the object's own write first; empty when nothing changes. */
  readonly ops: readonly WriteOp[];
  /** Object after the write, in its stored form; its version is that of the base, 0 for a new object. */
  readonly written: Stored;
  /** Object of the response: in the served version, where a webhook has to convert it. */
  readonly answer: Stored;
  /** Object as made from the request, in the storage version. */
  readonly wanted: ApiObject;
  /** Whether the object is gone after the write. */
  readonly removed: boolean;
  /**
   * Whether it allocates or frees addresses or ports: a write planned on top of it before its outcome is known could
   * not be undone.
   */
  readonly changesClaims: boolean;
  /** To be called once the outcome of the write is known; returns a promise only where something was taken for it. */
  conclude(outcome: AllocationOutcome): void | Promise<void>;
}
