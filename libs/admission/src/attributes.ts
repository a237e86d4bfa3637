import type { UserInfo } from '@orch/authentication';
import type { Authorizer } from '@orch/authorization';
import type { ApiObject } from '@orch/machinery';

/** What a write does to an object, as admission and audit name it. A PUT that finds nothing and may create is a `CREATE`. */
export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

/** What a write is about, known before any object is looked at. */
export interface Target {
  /**
   * What is done, whatever the verb of the request: a patch is an `UPDATE`, or a `CREATE` when it applies what is not
   * there.
   */
  readonly operation: Operation;
  /** Group of the resource; '' for the core group. */
  readonly group: string;
  /** The version that the client speaks, which need not be the one that is stored. */
  readonly version: string;
  /** Plural of the resource: `pods`. */
  readonly resource: string;
  /** Kind of the objects. */
  readonly kind: string;
  /** The subresource written through (`status`, `scale`, …); '' for the resource itself. */
  readonly subresource: string;
  /** Of a Namespace object its own name; '' for other objects without a namespace. */
  readonly namespace: string;
  /** '' for an object whose name is still to be generated. */
  readonly name: string;
}

/** Options of the request, whatever its verb; what it did not say or has no say in is absent. */
export interface RequestOptions {
  /** The request goes all the way and leaves nothing behind: a plugin may have no effects outside of it. */
  readonly dryRun: boolean;
  /** Who is to own the fields that are written. */
  readonly fieldManager?: string;
  /** What becomes of unknown and repeated fields: dropped, dropped with a warning, or refused. */
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  /** Of a deletion: seconds asked for. */
  readonly gracePeriodSeconds?: number;
  /** Of a deletion. */
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
}

/** One write, as a plugin sees it. */
export interface Attributes extends Target {
  /**
   * The object as it is to be written, with defaults, in the version that the client speaks, whichever subresource it is
   * written through: also through `scale`. Undefined for a deletion. `admit` may change it in place; what `validate` gets is
   * a copy, unless all who are asked say that they change nothing (`looksOnly`).
   */
  readonly object: ApiObject | undefined;
  /** The object that is there, in the same version: a copy. Undefined for a creation. */
  readonly oldObject: ApiObject | undefined;
  /** Of the request that caused the write. */
  readonly options: RequestOptions;
  /** On whose behalf the write is made; the server's own writes have a user of theirs. */
  readonly user: UserInfo;
  /** Who decides what the user may do beside the write itself, as for the request that caused it. */
  readonly authorizer: Authorizer;
  /** Monotonic milliseconds (`performance.now()`) at which the request is given up; what calls out must be done by then. */
  readonly deadline: number;
  /** An administrator has asked for no webhook to be called; default false. */
  readonly skipsWebhooks?: boolean;
  /** The server writes about its own affairs, from which nothing may keep it that users say about writes; default false. */
  readonly isOwnAffair?: boolean;
  /** Whether plugins that may change the object are asked a second time, as a webhook changed it behind them. Never a third time. */
  readonly isReinvocation: boolean;
  /** Asks for the second round; what a webhook calls that changed the object. */
  reinvoke(): void;
  /**
   * Applies the defaults of the version of the request to {@link Attributes.object} anew, as is done behind each change by a webhook.
   * Returns a promise only where that takes long.
   */
  setDefaults(): void | Promise<void>;
  /** Tells the client something in a `Warning` header, whatever becomes of the request. The same text goes out once. */
  warn(text: string): void;
  /** Notes something for the audit log, under a key qualified by a domain. */
  annotate(key: string, value: string): void;
  /** The same of what tells the content of the request: only where the audit log has that too (level `Request`). */
  annotateBody(key: string, text: () => string): void;
}
