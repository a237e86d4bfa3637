import type { UserInfo } from '@orch/authentication';
import type { Authorizer } from '@orch/authorization';
import type { ApiObject } from '@orch/machinery';

/** The operation of a write, as admission and audit name it. A PUT that creates a missing object is a `CREATE`. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** The operation of a request that is admitted: a write, or a connection to a pod, a service or a node. */
export type AdmittedOperation = Operation | 'CONNECT';

/** The target of a write or a connection, known before any object is read. */
export interface Target {
  /**
   * The operation, whatever the verb of the request: a patch is an `UPDATE`, or a `CREATE` if it applies an object that
   * does not exist; a connection is a `CONNECT`, with any method.
   */
  readonly operation: AdmittedOperation;
  /** Group of the resource; '' for the core group. */
  readonly group: string;
  /** Version of the request, which need not be the storage version. */
  readonly version: string;
  /** Plural of the resource: `pods`. */
  readonly resource: string;
  /** Kind of the objects. */
  readonly kind: string;
  /** The subresource written through (`status`, `scale`, …); '' for the resource itself. */
  readonly subresource: string;
  /** Namespace of the object; the object's own name for a Namespace, '' for other objects without a namespace. */
  readonly namespace: string;
  /** Name of the object; '' while it is still to be generated. */
  readonly name: string;
}

/** Options of the request, whatever its verb; options that are not given or do not apply are absent. */
export interface OperationOptions {
  /** Whether the request is processed completely but not stored: a plugin must then have no effects outside of it. */
  readonly dryRun: boolean;
  /** Field manager that will own the written fields. */
  readonly fieldManager?: string;
  /** Treatment of unknown and duplicate fields: dropped, dropped with a warning, or refused. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Grace period that a deletion asks for, seconds. */
  readonly gracePeriodSeconds?: number;
  /** Propagation policy of a deletion. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
}

/** A write, as a plugin sees it. */
export interface Attributes extends Target {
  /**
   * The object as it will be written, with defaults, in the version of the request, whichever subresource it is written
   * through (`scale` included). Undefined for a deletion; the options of the request for a connection. `admit` may change it in place; `validate` gets a copy,
   * unless all selected plugins declare that they change nothing (`readsOnly`).
   */
  readonly object: ApiObject | undefined;
  /** A copy of the existing object, in the same version. Undefined for a creation. */
  readonly oldObject: ApiObject | undefined;
  /** Options of the request that caused the write. */
  readonly options: OperationOptions;
  /** The user on whose behalf the write is made; the server's own writes have a user of their own. */
  readonly user: UserInfo;
  /** Authorizer of the request that caused the write, for checks beyond the write itself. */
  readonly authorizer: Authorizer;
  /**
   * Deadline of the request, monotonic milliseconds (`performance.now()`); calls to other processes must end by then.
   */
  readonly deadline: number;
  /** Whether an administrator has asked that no webhook be called; default false. */
  readonly skipsWebhooks?: boolean;
  /**
   * Whether the write is internal to the server, so that no rule of users about writes may prevent it; default false.
   */
  readonly isInternal?: boolean;
  /**
   * Whether this is the second round of the mutating plugins, made because a webhook changed the object after some of
   * them had seen it. There is no third round.
   */
  readonly isReinvocation: boolean;
  /** Asks for the second round; called after a webhook has changed the object. */
  reinvoke(): void;
  /**
   * Applies the defaults of the version of the request to {@link Attributes.object} again, as after each change by a
   * webhook. Returns a promise only if that takes long.
   */
  setDefaults(): void | Promise<void>;
  /**
   * Sends a warning to the client in a `Warning` header, whatever the outcome of the request. A repeated text is sent
   * once.
   */
  warn(text: string): void;
  /** Adds an annotation to the audit event, under a key qualified by a domain. */
  annotate(key: string, value: string): void;
  /**
   * Adds an annotation that reveals content of the request: only if the audit event records that too (level `Request`).
   */
  annotateBody(key: string, text: () => string): void;
}
