import type { ApiObject } from '@orch/machinery';
import type { Amounts } from './amounts.js';
import type { ScopeSelector } from './scopes.js';

/** Computes the usage of a resource's objects. */
export interface Evaluator {
  /**
   * Returns the usage of an object. It depends on the object alone, and on no clock: usage changes with writes only.
   */
  usage(object: ApiObject): Amounts;
  /** Whether quotas can limit an amount of these objects by a name. */
  counts(name: string): boolean;
  /** Whether an object is in a scope; only pods are in any. */
  inScope(selector: ScopeSelector, object: ApiObject): boolean;
  /**
   * Returns why a quota that limits these names refuses an object, whatever is left of it; undefined if it does not.
   */
  missing?(names: readonly string[], object: ApiObject): string | undefined;
  /** Whether an update may change the usage. */
  readonly changes: boolean;
  /** Whether limits apply to a client's updates, and not only to creations. */
  readonly limitsUpdates: boolean;
}
