import type { Violation } from './violation.js';

/** Rights of one user that were taken, or given back: when that was asked for, and when it was answered. Milliseconds, as all times here. */
export interface RightsChange {
  readonly kind: 'taken' | 'given';
  readonly begun: number;
  readonly answered: number;
}

/** A watch of such a user at one server. */
export interface WatchRecord {
  readonly where: string;
  /** Asked for, and answered. */
  readonly begun: number;
  readonly answered: number;
  readonly status: number;
  /** Received events: earliest time of the write, and time of receipt. */
  readonly events: readonly { readonly sent: number; readonly at: number }[];
  /** Absent while it is open. `code` is that of the `ERROR` that came last; `whole` says that the stream was ended in order. */
  readonly end?: { readonly at: number; readonly code: number | undefined; readonly whole: boolean };
}

/** A time without rights, from when they were taken for certain or perhaps. */
interface Spell {
  readonly asked: number;
  readonly taken: number;
  readonly giving: number;
  readonly given: number;
}

/**
 * Whether a user was told what rights say: nothing that was written when it had none for longer than `withinMs`, and no refusal as
 * long as it has had them for longer.
 * @param changes in their order; at first it has rights
 */
export function checkRights(
  user: string,
  changes: readonly RightsChange[],
  watches: readonly WatchRecord[],
  withinMs: number,
): Violation[] {
  const spells = spellsOf(changes);
  return watches.flatMap((watch) => {
    const who = `${user} at ${watch.where}`;
    return [...sentWithout(who, watch, spells, withinMs), ...refusedWith(who, watch, spells, withinMs)];
  });
}

function spellsOf(changes: readonly RightsChange[]): Spell[] {
  return changes.flatMap((change, index) => {
    if (change.kind !== 'taken') return [];
    const { begun: giving, answered: given } = changes[index + 1] ?? { begun: Infinity, answered: Infinity };
    return [{ asked: change.begun, taken: change.answered, giving, given }];
  });
}

function sentWithout(who: string, { events }: WatchRecord, spells: readonly Spell[], withinMs: number): Violation[] {
  return events.flatMap(({ sent, at }) => {
    const without = spells.find(({ taken, giving }) => sent > taken + withinMs && at < giving);
    if (!without) return [];
    const late = Math.round(sent - without.taken);
    return [
      { rule: 'R.forbidden', message: `${who} was sent what was written ${late} ms after its rights were taken` },
    ];
  });
}

function refusedWith(who: string, watch: WatchRecord, spells: readonly Spell[], withinMs: number): Violation[] {
  /** Whether any moment between two had no rights, or may not have had them yet. */
  const lacked = (from: number, to: number) =>
    spells.some(({ asked, given }) => asked <= to && from <= given + withinMs);
  const { status, begun, answered, end } = watch;
  if (status === 403) {
    if (lacked(begun, answered)) return [];
    return [{ rule: 'R.answer', message: `${who} was refused a watch that it may have` }];
  }
  if (status !== 200) return [{ rule: 'R.answer', message: `${who} was answered with ${status}` }];
  if (!end) return [];
  if (end.code !== 403 || !end.whole) {
    const how = `${end.whole ? 'in order' : 'cut'}, the last event ${end.code ?? 'no error'}`;
    return [{ rule: 'R.stream', message: `the watch of ${who} did not end with 403: ${how}` }];
  }
  if (lacked(begun, end.at)) return [];
  return [{ rule: 'R.stream', message: `the watch of ${who} was ended though it may have it` }];
}
