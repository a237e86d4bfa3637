import type { Operation, SelectedPlugins } from '@orch/admission';
import type { ApiObject, JsonObject } from '@orch/machinery';
import type { Stored } from '@orch/resources';
import type { Charging } from '@orch/storage';
import type { QuotaWrite } from '../charges/quota-account.js';
import type { QuotaCharges } from '../charges/quota-charges.js';
import type { WriteRequest, YieldPoint } from '../pipeline/write-request.js';
import type { ObjectLimits } from './object-checks.js';

/** State of one attempt of a write, which the stages read and extend. */
export interface Draft {
  /** The request that is being carried out. */
  readonly request: WriteRequest;
  /** Effective operation: an update that finds no object and may create is a `CREATE`. */
  readonly operation: Operation;
  /** Stored object in its stored form, from before the change until the plan is made; undefined for a creation. */
  readonly stored: Stored | undefined;
  /**
   * The stored object in the served version, where a webhook has to convert it and a stage or plugin reads it; else the
   * same as {@link stored}.
   */
  readonly storedServed: Stored | undefined;
  /**
   * The stored object decoded, in the storage version, as it was before the change: never modified. Undefined for a
   * creation, and for a deletion, whose change works on the decoded object itself.
   */
  readonly before: ApiObject | undefined;
  /** Whether the stored object was being deleted already. */
  readonly wasTerminating: boolean;
  /** Admission plugins that are called for the write. */
  readonly plugins: SelectedPlugins;
  /**
   * Wanted object in the served version: the result of the change, modified in place by the stages up to `repair`. For
   * a deletion the object marked as deleted, in the storage version.
   */
  readonly wantedServed: ApiObject;
  /** Entries of managedFields as they were before admission. */
  owners: readonly JsonObject[];
  /** Whether a new object names a resource version, which the store refuses. */
  namesVersion?: boolean;
  /** Whether a plugin may have changed {@link wantedServed}. */
  admitted: boolean;
  /**
   * Wanted object in the storage version, from `repair` on, which converts it; until then, and for a kind without
   * conversion, the same object as {@link wantedServed}.
   */
  wanted: ApiObject;
  /** The object as a quota, where it is one and is stored; from the stage `quota` on. */
  account: QuotaWrite | undefined;
  /** Charges to quotas, from the stage `quota` on; undefined for none. */
  charging: Charging | undefined;
  /** Yields to the event loop between the steps of work on a large object; does nothing for a small one. */
  readonly turn: YieldPoint;
}

/** A check of the caller's rights beyond the write itself. */
interface RightsCheck {
  /** @throws StatusError 403, or what else refuses the write */
  check(draft: Draft): void | Promise<void>;
}

/** Dependencies of the stages. */
export interface StageTools {
  /** Limits of an object's size. */
  readonly limits: ObjectLimits;
  /** Restricts writers of roles and bindings to rights that they may grant. */
  readonly grants: RightsCheck;
  /** Restricts writers of admission policies to parameters that they may read. */
  readonly paramRights: RightsCheck;
  /** Computes quota charges. Default: nothing is charged. */
  readonly quotas?: QuotaCharges | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * A stage of the pipeline: changes the object of the draft, or refuses it with a StatusError. It returns a promise only
 * where it has to wait.
 */
export type WriteStage = (draft: Draft, tools: StageTools) => void | Promise<void>;
