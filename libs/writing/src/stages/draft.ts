import type { Admission, Judges, Operation } from '@orch/admission';
import type { ApiObject, JsonObject } from '@orch/machinery';
import type { Stored } from '@orch/resources';
import type { Turn, WriteRequest } from '../pipeline/write-request.js';
import type { ObjectLimits } from './object-checks.js';

/** One try of a write on its way through the stages: each finds here what those before it left. */
export interface Draft {
  /** The request that is being carried out. */
  readonly request: WriteRequest;
  /** What the request comes to: an update that finds nothing and may create is a `CREATE`. */
  readonly operation: Operation;
  /** What is there, as it lies; undefined for a creation. */
  readonly base: Stored | undefined;
  /** The same as the endpoint serves it, where that takes time and somebody looks at it; else as it lies. */
  readonly read: Stored | undefined;
  /** The same, in the stored version; nobody changes it. Undefined for a creation and for a deletion. */
  readonly old: ApiObject | undefined;
  /** Whether what is there was on its way out already. */
  readonly wasTerminating: boolean;
  /** Whom admission asks. */
  readonly judges: Judges;
  /** The wanted object in the version that the endpoint serves; of a deletion the marked one, in the stored version. */
  readonly served: ApiObject;
  /** The entries of managedFields as they were drawn before admission. */
  owners: readonly JsonObject[];
  /** A new object names a version, which only the store refuses. */
  namesVersion?: boolean;
  /** A plugin has had `served` in its hands. */
  admitted: boolean;
  /** The wanted object in the stored version: `served` itself until it is made. */
  object: ApiObject;
  /** For stages whose work on a large object takes several steps; nothing is waited for where it is not large. */
  readonly turn: Turn;
}

/** A check of what the caller of a write may do beside the write itself. */
export interface RightsCheck {
  /** @throws StatusError 403, or what else refuses the write */
  check(draft: Draft): void | Promise<void>;
}

/** What stages need beside the draft. */
export interface StageTools {
  readonly admission: Admission;
  readonly limits: ObjectLimits;
  /** Holds writers of roles and bindings to what they may give. */
  readonly grants: RightsCheck;
  /** Holds writers of admission policies to what they may read. */
  readonly paramRights: RightsCheck;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * One stage of the pipeline: changes the draft's object, or refuses it with a StatusError. Only one that waits for something
 * returns a promise.
 */
export type Stage = (draft: Draft, tools: StageTools) => void | Promise<void>;
