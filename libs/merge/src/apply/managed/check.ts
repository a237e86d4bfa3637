import type { JsonValue } from '@orch/machinery';
import { readSent } from './entries.js';

/** @throws ManagedFieldsError for entries that nobody could read again */
export function checkManagedFields(entries: JsonValue | undefined): void {
  readSent(entries, undefined);
}
