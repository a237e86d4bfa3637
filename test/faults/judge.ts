import { KINDS, type Kind, parsePrint } from './model/object-state.js';
import type { List, Read, Write } from './model/records.js';
import { selects } from './model/selection.js';
import type { Recorded } from './recorder.js';
import type { Traffic } from './traffic/context.js';
import type { RunningLife } from './traffic/watcher.js';
import { checkDurable, checkFinalState } from './validators/durable.js';
import { checkHistory, checkLateCommits } from './validators/history.js';
import { checkLifecycle } from './validators/lifecycle.js';
import { checkKey, type Sighting } from './validators/linearizable.js';
import { checkList, checkRebuilt } from './validators/list-watch.js';
import { checkMonotonic } from './validators/monotonic.js';
import type { Violation } from './validators/violation.js';
import { checkWatch } from './validators/watch.js';

/** Everything that a run has recorded. */
export interface Records {
  readonly traffic: Traffic;
  readonly lives: readonly RunningLife<Kind>[];
  /** Lists of the clients that never want anything older, one after another in each. */
  readonly sequences: readonly (readonly List[])[];
  /** Lists of everything, after the end; undefined when none could be had. */
  readonly final: Readonly<Record<Kind, List | undefined>>;
  readonly recorded: Recorded;
}

/** Returns the violations of a run; empty if there are none. */
export function judge({ traffic, lives, sequences, final, recorded }: Records): Violation[] {
  const lists = [...traffic.lists, ...sequences.flat(), ...KINDS.flatMap((kind) => final[kind] ?? [])];
  return [
    ...checkLateCommits(recorded.lateCommits),
    ...KINDS.flatMap((kind) => {
      const history = recorded.histories[kind];
      const writes = traffic.writes.filter((write) => write.kind === kind);
      return [
        ...checkHistory(history),
        ...checkDurable(history, writes),
        ...checkFinalState(history, recorded.objects[kind]),
        ...checkKeys(kind, writes, traffic, recorded),
        ...lists.filter((list) => list.kind === kind).flatMap((list) => checkList(list, history)),
      ];
    }),
    ...lives.flatMap((life) => checkWatch(life, recorded.histories[life.kind], recorded.floors[life.kind])),
    ...lives.filter((life) => life.lasted).flatMap((life) => checkLast(life, final[life.kind])),
    ...sequences.flatMap(checkMonotonic),
    ...checkLifecycle(recorded.changes),
  ];
}

/** Objects that servers maintain themselves at any time, without a request of a client. */
const WRITTEN_BY_SERVERS = ['kube-system/extension-apiserver-authentication'];

function checkKeys(kind: Kind, writes: readonly Write[], traffic: Traffic, { histories }: Recorded): Violation[] {
  const history = histories[kind];
  const writesOf = byKey(writes);
  const readsOf = byKey<Read>(traffic.reads.filter((read) => read.kind === kind));
  const sightings = traffic
    .events(kind)
    .all()
    .map(
      ({ version, print, firstSeen }): Sighting => ({
        key: print.slice(0, print.indexOf(' ')),
        version,
        at: firstSeen,
      }),
    );
  const sightingsOf = byKey(sightings);
  const keys = new Set([...history.keys(), ...writesOf.keys(), ...readsOf.keys()]);
  for (const key of WRITTEN_BY_SERVERS) keys.delete(key);
  return [...keys].flatMap((key) =>
    checkKey(history, key, writesOf.get(key) ?? [], readsOf.get(key) ?? [], sightingsOf.get(key) ?? []),
  );
}

/** V4 for a watcher that wants a part: of the final list, the part that it wants. */
function checkLast(life: RunningLife<Kind>, final: List | undefined): Violation[] {
  if (final === undefined) return [{ rule: 'V4.final', message: `${life.kind}: no list could be had in the end` }];
  const wanted = final.items.filter(({ print }) => selects(life.selection, parsePrint(print)));
  return checkRebuilt(life, life.list?.items ?? [], wanted);
}

function byKey<T extends { readonly key: string }>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.key);
    if (group === undefined) groups.set(item.key, [item]);
    else group.push(item);
  }
  return groups;
}
