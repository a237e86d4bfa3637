import type { Operation, OperationOptions } from '@orch/admission';
import type { ApiObject } from '@orch/machinery';
import type { Endpoint, Stored } from '@orch/resources';
import type { Key } from '@orch/storage';
import type { Caller } from './caller.js';

/**
 * A modifying request, independent of HTTP: the input of the pipeline from handlers and from writers within the server.
 */
export interface WriteRequest {
  /** Requested operation; an update may become a creation where its {@link Modification} can create. */
  readonly operation: Operation;
  /** Endpoint of the object, in the version that the client uses. */
  readonly endpoint: Endpoint;
  /** Namespace and name; the name is empty for a new object whose name is to be generated. */
  readonly key: Key;
  /** Subresource that is written; empty for the object itself. */
  readonly subresource: string;
  /** Caller of the request: its user, its deadline, and where warnings and annotations go. */
  readonly caller: Caller;
  /** Options of the request as admission sees them, `dryRun` and `fieldManager` among them. */
  readonly options: OperationOptions;
  /** The relation of the change to the current object; default: it edits it, as a patch does. */
  readonly changeKind?: ChangeKind;
  /**
   * Whether admission has reviewed what the client sent (a Binding, an Eviction), and is not called for this change
   * that follows from it.
   */
  readonly admitted?: boolean;
  /** Knowledge of the caller that saves work and waiting. */
  readonly hints?: WriteHints;
}

/**
 * How a change relates to the current object, where it does not just edit it:
 *
 * - `replace`: it takes nothing but metadata from the current object and keeps no reference to it, which then is not
 *   copied (a PUT)
 * - `apply`: it has set field ownership itself (a server-side apply)
 * - `internal`: the server itself changes the desired state (a binding): field ownership, and the update rules of the
 *   kind, which are for clients, are skipped
 * - `usage`: it stores the use of a ResourceQuota as the server has counted it: the count is believed, and written
 *   though nothing changes
 */
export type ChangeKind = 'replace' | 'apply' | 'internal' | 'usage';

/** Knowledge of a caller about its write. Without it the same is written. */
interface WriteHints {
  /** Object as the caller has just read it; looked up when absent. */
  readonly found?: Stored;
  /**
   * Whether the client names the version that it changes: the write then does not wait for other writers of the object.
   */
  readonly namesVersion?: boolean;
  /**
   * Whether the response does not hold the object, which then is not converted to the served version; for deletions
   * alone.
   */
  readonly unanswered?: boolean;
  /** Length of the request body, bytes: steps of work on a large one yield to the event loop in between. */
  readonly bytes?: number;
}

/**
 * Makes the wanted object from the current one, which it may modify and keep; the pipeline owns the result. Both are in
 * the version that the endpoint serves; for a deletion in the storage version. Called anew for each attempt. `stored`
 * is the row that the current object was decoded from.
 */
export type UpdateFunction = (current: ApiObject, turn: YieldPoint, stored: Stored) => ApiObject | Promise<ApiObject>;

/** Stands between two steps of work on an object: a step on a large one gets a turn of the event loop for itself. */
export type YieldPoint = () => Promise<void> | undefined;

/** Makes a new object, in the version that the endpoint serves; the pipeline owns it. Called anew for each attempt. */
export type Creation = () => ApiObject | Promise<ApiObject>;

/** How a request changes or creates the object; at least one of the two is present. */
export interface Modification {
  /** Changes an existing object; absent: the object must be new (409 where it exists). */
  readonly change?: UpdateFunction;
  /** Creates the object where there is none; absent: the object must exist (404 where it does not). */
  readonly create?: Creation;
}

/** Result of a write. */
export interface Written {
  /** Object in the served version, where a webhook has to convert it; else in its stored form. */
  readonly stored: Stored;
  /** Whether the write created the object. */
  readonly created: boolean;
  /** Whether the object is gone: deleted, or released by its last finalizer. */
  readonly removed: boolean;
}

/**
 * Attempts at a write whose base was overtaken by another server, when the client itself named no version. Of those
 * that write the same object at a time one gets through, so this is also how many servers may.
 */
export const WRITE_ATTEMPTS = 256;
/** Attempts at a write that calls webhooks each time: one, and five more when it is overtaken. */
export const CALLING_ATTEMPTS = 6;

/** The version of a base that is itself still to be written. */
export const UNWRITTEN = 0n;
