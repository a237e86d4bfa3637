import type { JsonObject } from '@orch/machinery';
import { runSync } from './conversion.js';
import { readSent, writeOwners } from './entries.js';
import { ManagedFieldsError } from './errors.js';
import { managedFieldsOf, withManagedFields } from './metadata.js';

/** Entries are only read in their own version. */
const nothing = () => undefined;

/** An object after mutating admission, and a warning about it. */
export interface Admitted {
  /** The object after admission, without its entries. */
  readonly object: JsonObject;
  /** Warning for the client; unset when the entries were in order. */
  readonly warning?: string;
}

/**
 * Returns an object after mutating admission with readable entries, in the server's own form: those that it came with
 * or, when a plugin has broken them, those from before admission.
 */
export function admitted(before: JsonObject, after: JsonObject): Admitted {
  const [entries, sent] = [managedFieldsOf(before), managedFieldsOf(after)];
  if (entries === sent) return { object: after };
  try {
    return { object: withManagedFields(after, writeOwners(runSync(() => readSent(sent, entries), nothing))) };
  } catch (error) {
    if (!(error instanceof ManagedFieldsError)) throw error;
    const warning = `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${error.message}`;
    return { object: withManagedFields(after, Array.isArray(entries) ? entries : undefined), warning };
  }
}
