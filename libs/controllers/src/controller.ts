/** Objects whose changes wake a controller, as keys that it reconciles. */
export interface ControllerSource {
  /** Calls `enqueue` with each key that a change concerns, until the returned function is called. */
  subscribe(enqueue: (key: string) => void): () => void;
  /** Returns the keys of all objects, for a process that becomes leader. */
  keys(): Iterable<string>;
  /**
   * Resolves when the source holds everything that any process has written before the call. Absent where reconciling
   * from older objects does no harm.
   */
  confirm?(): Promise<void>;
}

/** State of one reconciliation. */
export interface ReconcileRun {
  /** False once the process has lost the lease or ends: nothing that began before may be written any more. */
  readonly goesOn: boolean;
}

/** A loop that brings objects into their desired state. */
export interface Controller {
  /** Name in options and metrics: that of kube-controller-manager where it has such a controller. */
  readonly name: string;
  /** Objects that wake it. */
  readonly sources: readonly ControllerSource[];
  /** Keys that are reconciled at a time. Default 1. */
  readonly workers?: number;
  /** First and longest wait before a key is tried again, milliseconds. Default 5 and 1,000,000. */
  readonly retry?: { readonly firstMs: number; readonly longestMs: number };
  /** Milliseconds from the end of a reconciliation of a key to the next one of it at the earliest. Default 0. */
  readonly restMs?: number;
  /**
   * Brings the object of a key into its desired state, from the objects as they are known now. A key whose
   * reconciliation rejects is retried with backoff.
   * @returns milliseconds after which the key is reconciled again though nothing has changed; undefined for not at all
   */
  reconcile(key: string, run: ReconcileRun): Promise<number | undefined>;
}

/**
 * Thrown by a reconciliation that has nothing to report and is to be retried with backoff: it was overtaken, or waits
 * for a change that no source reports.
 */
export class RequeueError extends Error {
  override readonly name = 'RequeueError';
}

/** Controllers of a feature, with resources of their own that are to be stopped. */
export interface ControllerGroup {
  /** Controllers to be run. */
  readonly controllers: readonly Controller[];
  /** Begins to follow; called before the controllers run. @throws Error where the feature cannot work */
  start?(): void | Promise<void>;
  /** Ends that; called after the controllers have ended. What lasts until `deadline` is left to itself. */
  stop?(deadline?: AbortSignal): void | Promise<void>;
}
