import type { JsonObject } from '@orch/machinery';
import { runSync } from './conversion.js';
import { readSent, writeOwners } from './entries.js';
import { ManagedFieldsError } from './errors.js';
import { managedFieldsOf, withManagedFields } from './metadata.js';

/** Entries are read in no other version than theirs. */
const nothing = () => undefined;

/** An object that has been through mutating admission, and what is to be said of it. */
export interface Admitted {
  /** As it came out, its entries apart. */
  readonly object: JsonObject;
  /** Warning for the client; unset when the entries were in order. */
  readonly warning?: string;
}

/**
 * An object after mutating admission with entries that can be read, in the form in which the server writes them: those that
 * it came with or, when a plugin has broken them, those that went in.
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
