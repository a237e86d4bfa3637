import type { PriorDetail } from '@orch/storage';
import type { ChangeEvent, EventKind } from '../history/change-event.js';
import type { Selection } from '../state/attributes.js';
import { type CacheEntry, selects } from '../state/cache-entry.js';

/** Scope of a list or watch: a namespace or all, and a selection or everything. */
export interface Interest {
  /** Namespace; undefined for all, and for cluster-scoped types. */
  readonly namespace?: string;
  /** Undefined selects everything. */
  readonly selection?: Selection;
}

/** Whether an entry is in the namespace and the selection of an interest. */
export function concerns(interest: Interest, entry: CacheEntry): boolean {
  if (interest.namespace !== undefined && interest.namespace !== entry.namespace) return false;
  return interest.selection === undefined || selects(interest.selection, entry);
}

/** Detail needed of the state before a change: only its existence, if everything is selected, or by keys alone. */
export const priorDetail = ({ selection }: Interest): PriorDetail =>
  selection === undefined || selection.byKey === true ? 'version' : 'body';

/** Effect of a change on this interest: entering the selection is an addition, leaving it a deletion. */
export function transition(interest: Interest, event: ChangeEvent): EventKind | undefined {
  if (interest.namespace !== undefined && interest.namespace !== event.entry.namespace) return undefined;
  const { selection } = interest;
  const before = event.prior !== undefined && (selection === undefined || selects(selection, event.prior));
  if (event.op === 'delete') return before ? 'DELETED' : undefined;
  const after = selection === undefined || selects(selection, event.entry);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}

/** Key that is equal for equal interests. */
export const interestKey = ({ namespace, selection }: Interest): string =>
  JSON.stringify([namespace ?? null, selection?.key ?? null]);

/** An interest that several audiences share: the effect of an event on it is computed once. */
export class SharedInterest {
  /** Number of audiences that share it. */
  members = 0;
  #turn = -1;
  #kind: EventKind | undefined;

  constructor(
    readonly key: string,
    readonly interest: Interest,
  ) {}

  /** Same as {@link transition}; `turn` differs from that of the event before. */
  transition(event: ChangeEvent, turn: number): EventKind | undefined {
    if (turn !== this.#turn) {
      this.#kind = transition(this.interest, event);
      this.#turn = turn;
    }
    return this.#kind;
  }
}
