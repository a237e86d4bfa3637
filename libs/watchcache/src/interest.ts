import type { Selection } from './attributes.js';
import type { CacheEntry } from './cache-entry.js';
import type { ChangeEvent, EventKind } from './ring.js';

/** What a list or watch is about: a namespace or all, and a selection or everything. */
export interface Interest {
  /** Only this one; undefined for all, and for cluster-scoped types. */
  readonly namespace?: string;
  /** Undefined selects everything. */
  readonly selection?: Selection;
}

export function concerns(interest: Interest, entry: CacheEntry): boolean {
  if (interest.namespace !== undefined && interest.namespace !== entry.namespace) return false;
  return interest.selection === undefined || interest.selection.matches(entry.attributes);
}

/** What a change is for whoever has this interest: entering the selection is an addition, leaving it a deletion. */
export function transition(interest: Interest, event: ChangeEvent): EventKind | undefined {
  if (interest.namespace !== undefined && interest.namespace !== event.entry.namespace) return undefined;
  const { selection } = interest;
  const before = event.prior !== undefined && (selection === undefined || selection.matches(event.prior.attributes));
  if (event.op === 'delete') return before ? 'DELETED' : undefined;
  const after = selection === undefined || selection.matches(event.entry.attributes);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}
