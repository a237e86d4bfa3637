import { EventTable } from '../model/event-table.js';
import { type Change, type EventType, History } from '../model/history.js';
import { type ObjectState, printOf } from '../model/object-state.js';
import type { Life, LifeStart, Write } from '../model/records.js';
import type { Selection } from '../model/selection.js';

export type Step = readonly [op: Change['op'], name: string, change?: Partial<ObjectState>];

/** A history with versions 10, 20, 30, …; what a step does not say stays as it was, stamps are `s<version>`. */
export function historyOf(...steps: readonly Step[]): History {
  const live = new Map<string, { state: ObjectState; version: number }>();
  const changes = steps.map(([op, name, change], i): Change => {
    const version = (i + 1) * 10;
    const before = live.get(name);
    const fresh = { namespace: 'n', name, uid: `uid-${version}`, flag: 'new', tier: '', reason: '', owners: '' };
    const state: ObjectState = {
      ...(op === 'create' ? fresh : (before?.state ?? fresh)),
      stamp: op === 'delete' ? (before?.state.stamp ?? '') : `s${version}`,
      ...change,
    };
    if (op === 'delete') live.delete(name);
    else live.set(name, { state, version });
    return {
      kind: 'configmaps',
      version,
      previous: i * 10,
      op,
      state,
      ...(op !== 'create' && before && { prior: before.state, priorVersion: before.version }),
    };
  });
  return new History('configmaps', changes);
}

/** How a history prints the state that a change left. */
export const printAt = (history: History, version: number): string => {
  const change = history.at(version);
  if (change === undefined) throw new RangeError(`no change ${version}`);
  return printOf(change.state);
};

export interface LifeSettings {
  readonly start?: LifeStart;
  readonly selection?: Selection;
  readonly initialEnd?: number;
  readonly lasted?: boolean;
  readonly refusals?: Life['refusals'];
}

/** A life from events (type, version, print) and bookmarks (a version). */
export function lifeOf(
  entries: readonly (readonly [EventType, number, string] | number)[],
  settings: LifeSettings = {},
): Life {
  const events = new EventTable();
  return {
    watcher: 'w',
    kind: 'configmaps',
    selection: settings.selection ?? {},
    start: settings.start ?? { mode: 'list', version: 0 },
    events,
    entries: entries.map((entry) => (typeof entry === 'number' ? -entry : events.add(...entry, 0))),
    initialEnd: settings.initialEnd,
    refusals: settings.refusals ?? [],
    lasted: settings.lasted ?? true,
  };
}

/** A write of `n/<name>` that began and ended at these times. */
export function writeOf(
  name: string,
  start: number,
  end: number,
  write: Omit<Write, 'kind' | 'key' | 'start' | 'end'>,
): Write {
  return { kind: 'configmaps', key: `n/${name}`, start, end, ...write };
}
