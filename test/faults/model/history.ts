import { keyOf, type ObjectState, printOf } from './object-state.js';
import { type Selection, selects } from './selection.js';

/** A committed change as the table `change` has it. Versions fit into a number by far. */
export interface Change {
  /** Plural name of the resource. */
  readonly kind: string;
  readonly version: number;
  readonly previous: number;
  readonly op: 'create' | 'update' | 'delete';
  /** New state; the last one of a deletion. */
  readonly state: ObjectState;
  readonly prior?: ObjectState;
  readonly priorVersion?: number;
}

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** An event that a watcher must receive. */
export interface ExpectedEvent {
  readonly type: EventType;
  readonly version: number;
  readonly print: string;
}

/** The committed history of one kind: the model that everything else is compared with. */
export class History {
  readonly changes: readonly Change[];
  readonly #byVersion = new Map<number, Change>();
  readonly #byKey = new Map<string, Change[]>();
  readonly #replays = new Map<string, readonly ExpectedEvent[]>();

  constructor(
    readonly kind: string,
    changes: readonly Change[],
  ) {
    this.changes = changes.toSorted((a, b) => a.version - b.version);
    for (const change of this.changes) {
      this.#byVersion.set(change.version, change);
      const key = keyOf(change.state);
      const ofKey = this.#byKey.get(key);
      if (ofKey === undefined) this.#byKey.set(key, [change]);
      else ofKey.push(change);
    }
  }

  /** The version of the last change. */
  get head(): number {
    return this.changes.at(-1)?.version ?? 0;
  }

  at(version: number): Change | undefined {
    return this.#byVersion.get(version);
  }

  keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  /** The changes of one object, and of those that had its name before it, ascending. */
  of(key: string): readonly Change[] {
    return this.#byKey.get(key) ?? [];
  }

  /** The selected objects as of a version, by key. */
  stateAt(version: number, selection: Selection): Map<string, { version: number; print: string }> {
    const state = new Map<string, { version: number; print: string }>();
    for (const [key, changes] of this.#byKey) {
      const last = lastUntil(changes, version);
      if (last === undefined || last.op === 'delete' || !selects(selection, last.state)) continue;
      state.set(key, { version: last.version, print: printOf(last.state) });
    }
    return state;
  }

  /** Every event that a watch of the selection must bring, from the beginning. */
  replay(selection: Selection): readonly ExpectedEvent[] {
    const id = JSON.stringify(selection);
    const known = this.#replays.get(id);
    if (known !== undefined) return known;
    const events = this.changes.flatMap((change) => eventOf(change, selection));
    this.#replays.set(id, events);
    return events;
  }
}

/** The last of some changes in order that is not younger than a version. */
function lastUntil(changes: readonly Change[], version: number): Change | undefined {
  let [from, to] = [0, changes.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((changes[middle] as Change).version <= version) from = middle + 1;
    else to = middle;
  }
  return changes[from - 1];
}

/** A change that leads into a selection adds; one that leads out of it deletes and shows what was selected last. */
function eventOf({ op, state, prior, version }: Change, selection: Selection): ExpectedEvent[] {
  const before = prior !== undefined && selects(selection, prior);
  const after = op !== 'delete' && selects(selection, state);
  if (!before && !after) return [];
  const type = after ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED';
  const shown = type === 'DELETED' && op !== 'delete' && prior !== undefined ? prior : state;
  return [{ type, version, print: printOf(shown) }];
}
