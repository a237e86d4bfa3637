import type { ApiObject } from '@orch/machinery';
import type { Amounts } from './amounts.js';
import type { ScopeSelector } from './scopes.js';

/** Computes the usage of a resource's objects. */
export interface Evaluator {
  /**
   * Returns the usage of an object. It depends on the object alone, and on no clock: usage changes with writes only.
   */
  usage(object: ApiObject): Amounts;
  /** Whether quotas limit something of these objects by a name. */
  counts(name: string): boolean;
  /** Whether an object is in a scope; only pods are in any. */
  inScope(selector: ScopeSelector, object: ApiObject): boolean;
  /** Why an object is refused by a quota that limits these names, whatever is left of it; undefined if it is not. */
  missing?(names: readonly string[], object: ApiObject): string | undefined;
  /** Whether an update may change what is used. */
  readonly changes: boolean;
  /** Whether an update by a client is held to limits, and not a creation alone. */
  readonly limitsUpdates: boolean;
}
