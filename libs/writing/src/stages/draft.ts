import type { Operation, SelectedPlugins } from '@orch/admission';
import type { ApiObject, JsonObject } from '@orch/machinery';
import type { Stored } from '@orch/resources';
import type { Turn, WriteRequest } from '../pipeline/write-request.js';
import type { ObjectLimits } from './object-checks.js';

/** State of one attempt of a write, which the stages read and extend. */
export interface Draft {
  /** The request that is being carried out. */
  readonly request: WriteRequest;
  /** Effective operation: an update that finds no object and may create is a `CREATE`. */
  readonly operation: Operation;
  /** Stored object as it lies in the database; undefined for a creation. */
  readonly base: Stored | undefined;
  /**
   * Stored object in the served version, where a webhook has to convert it and it is read; else as it lies in the
   * database.
   */
  readonly read: Stored | undefined;
  /** Stored object, decoded in the storage version; never changed. Undefined for a creation and for a deletion. */
  readonly old: ApiObject | undefined;
  /** Whether the stored object was being deleted already. */
  readonly wasTerminating: boolean;
  /** Admission plugins that are called for the write. */
  readonly plugins: SelectedPlugins;
  /** Wanted object in the served version; for a deletion the object marked as deleted, in the storage version. */
  readonly served: ApiObject;
  /** Entries of managedFields as they were before admission. */
  owners: readonly JsonObject[];
  /** Whether a new object names a resource version, which the store refuses. */
  namesVersion?: boolean;
  /** Whether a plugin may have changed `served`. */
  admitted: boolean;
  /** Wanted object in the storage version; the same object as `served` until it has been converted. */
  object: ApiObject;
  /** Yields to the event loop between the steps of work on a large object; does nothing for a small one. */
  readonly turn: Turn;
}

/** A check of what the caller of a write may do beside the write itself. */
interface RightsCheck {
  /** @throws StatusError 403, or what else refuses the write */
  check(draft: Draft): void | Promise<void>;
}

/** Dependencies of the stages. */
export interface StageTools {
  readonly limits: ObjectLimits;
  /** Holds writers of roles and bindings to what they may give. */
  readonly grants: RightsCheck;
  /** Holds writers of admission policies to what they may read. */
  readonly paramRights: RightsCheck;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * A stage of the pipeline: changes the object of the draft, or refuses it with a StatusError. It returns a promise only
 * where it has to wait.
 */
export type Stage = (draft: Draft, tools: StageTools) => void | Promise<void>;
