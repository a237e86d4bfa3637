import type { Change, History } from '../model/history.js';
import { printOf } from '../model/object-state.js';
import type { Read, Write } from '../model/records.js';
import { FlagMakers } from './flag-makers.js';
import type { Rule, Violation } from './violation.js';

/** An observation of a client besides its own calls: a version of an object existed at a time. */
export interface Sighting {
  readonly key: string;
  readonly version: number;
  readonly at: number;
}

/**
 * Something that happened within [start, end] and belongs to a place in the order of versions. Places: i is the i-th
 * change of the object's name, i + ½ is between it and the next; 0 is before the first.
 */
interface Placed {
  readonly start: number;
  readonly end: number;
  readonly place: number;
  readonly what: string;
}

/** An answer that holds at some places: an object that was absent, or another than was asked for. */
interface Sought {
  readonly start: number;
  readonly end: number;
  /** Whether it is true after the first so many changes. */
  readonly holds: (changes: number) => boolean;
  readonly what: string;
}

/** The half step that puts what saw a change behind it. */
const SEEN = 0.5;

/**
 * V1: the operations on one object can be put into one order that explains every answer and agrees with time. The order
 * of versions is that order, so it is enough to see that nothing stands before what had ended when it began.
 * Writes of unknown outcome may have happened at any time after their start, once, or never.
 */
export function checkKey(
  history: History,
  key: string,
  writes: readonly Write[],
  reads: readonly Read[],
  sightings: readonly Sighting[],
): Violation[] {
  const changes = history.of(key);
  const violations: Violation[] = [];
  const report = (rule: Rule, message: string) =>
    violations.push({ rule, message: `${history.kind} ${key}: ${message}` });
  const owners = attribute(changes, writes, new FlagMakers(writes, reads, sightings), report);
  const placeOf = new Map(changes.map(({ version }, i) => [version, i + 1]));
  const placed: Placed[] = [];
  const sought: Sought[] = [];
  for (const [place, write] of owners) {
    checkPrecondition(write, changes[place - 1], report);
    const end = write.outcome.at === 'unknown' ? Number.POSITIVE_INFINITY : write.end;
    placed.push({ start: write.start, end, place, what: `${write.call} ${write.stamp}` });
  }
  const owned = new Set(owners.values());
  for (const write of writes) {
    if (write.outcome.at === 'refused') {
      const question = refusalOf(write, write.outcome, changes);
      if (question) sought.push(question);
    } else if (write.outcome.at === 'committed' && !owned.has(write)) {
      // A patch that found nothing to change: a read.
      const place = placeOf.get(write.outcome.version);
      if (place !== undefined)
        placed.push({ ...write, place: place + SEEN, what: `${write.call} of nothing, ${write.stamp}` });
    }
  }
  for (const read of reads) {
    if (read.found === undefined) {
      sought.push({ ...read, holds: (place) => !existsAt(changes, place), what: 'a read that found nothing' });
      continue;
    }
    const place = placeOf.get(read.found.version);
    const change = place === undefined ? undefined : changes[place - 1];
    if (
      place === undefined ||
      change === undefined ||
      change.op === 'delete' ||
      printOf(change.state) !== read.found.print
    ) {
      report('V1.linearizable', `a read found ${read.found.version} (${read.found.print}), which was never there`);
    } else {
      placed.push({ ...read, place: place + SEEN, what: `a read of ${read.found.version}` });
    }
  }
  for (const { version, at } of sightings) {
    const place = placeOf.get(version);
    // An event that was never committed is for V2 to report.
    if (place !== undefined) {
      placed.push({
        start: Number.NEGATIVE_INFINITY,
        end: at,
        place: place + SEEN,
        what: `an event of ${version} seen`,
      });
    }
  }
  for (const message of misplaced(placed)) report('V1.linearizable', message);
  for (const message of unplaceable(placed, sought, changes.length)) report('V1.refused', message);
  const [first, ...others] = violations;
  return first ? [{ ...first, message: `${first.message}; its history: ${shown(changes, owners)}` }, ...others] : [];
}

/** The changes of an object, each with the write that made it and when that was under way. */
function shown(changes: readonly Change[], owners: ReadonlyMap<number, Write>): string {
  const rows = changes.map(({ version, op, state }, i) => {
    const maker = owners.get(i + 1);
    const by = maker ? `${maker.call} ${maker.stamp} [${maker.start.toFixed(1)}, ${maker.end.toFixed(1)}]` : 'nobody';
    return `${version} ${op} (${printOf(state)}) by ${by}`;
  });
  return rows.join('; ');
}

type Report = (rule: Rule, message: string) => void;

/**
 * Attributes changes to writes, by index. Reports changes without a write, duplicate writes, and writes that failed.
 */
function attribute(
  changes: readonly Change[],
  writes: readonly Write[],
  flags: FlagMakers,
  report: Report,
): Map<number, Write> {
  const owners = new Map<number, Write>();
  const byStamp = new Map(
    writes.filter(({ call }) => call !== 'flag' && call !== 'delete').map((write) => [write.stamp, write]),
  );
  const deletions = writes.filter(({ call, outcome }) => call === 'delete' && outcome.at !== 'refused');
  const taken = new Set<Write>();
  const take = (place: number, write: Write | undefined, { version, op, state }: Change) => {
    if (write === undefined) return report('V1.unexplained', `nobody asked for ${op} ${version} (${printOf(state)})`);
    if (taken.has(write))
      return report('V1.unexplained', `${write.call} ${write.stamp} took effect twice, again at ${version}`);
    if (write.outcome.at === 'refused') {
      return report(
        'V1.unexplained',
        `${write.call} ${write.stamp} was refused (${write.outcome.code}) and took effect at ${version}`,
      );
    }
    taken.add(write);
    owners.set(place, write);
  };
  changes.forEach((change, i) => {
    const { op, prior, state } = change;
    if (op === 'delete') {
      take(i + 1, deletionOf(change, deletions, taken), change);
    } else if (prior !== undefined && prior.stamp === state.stamp) {
      take(i + 1, flags.of(change, taken), change);
    } else {
      take(i + 1, byStamp.get(state.stamp), change);
    }
  });
  return owners;
}

function deletionOf({ state, priorVersion }: Change, deletions: readonly Write[], taken: ReadonlySet<Write>) {
  const acknowledged = deletions.find(({ outcome }) => outcome.at === 'deleted' && outcome.uid === state.uid);
  if (acknowledged !== undefined) return acknowledged;
  return deletions.find((write) => {
    if (write.outcome.at !== 'unknown' || taken.has(write)) return false;
    const { uid = state.uid, version = priorVersion } = write.precondition ?? {};
    return uid === state.uid && version === priorVersion;
  });
}

function checkPrecondition({ precondition, call, stamp }: Write, change: Change | undefined, report: Report): void {
  if (change === undefined || precondition === undefined) return;
  const { version, uid } = precondition;
  if (version !== undefined && change.priorVersion !== version) {
    report('V1.precondition', `${call} ${stamp} was to replace ${version} and replaced ${change.priorVersion}`);
  }
  if (uid !== undefined && change.state.uid !== uid) {
    report('V1.precondition', `${call} ${stamp} was for ${uid} and changed ${change.state.uid}`);
  }
}

/** When a refusal is right; undefined for those that say nothing about the object. */
function refusalOf(
  write: Write,
  { code, reason, message }: { code: number; reason: string; message: string },
  changes: readonly Change[],
): Sought | undefined {
  const what = `${write.call} ${write.stamp}, refused with ${code} ${reason} (${message}),`;
  const sought = (holds: (place: number) => boolean): Sought => ({ ...write, what, holds });
  if (reason === 'AlreadyExists') return sought((place) => existsAt(changes, place));
  if (reason === 'NotFound') return sought((place) => !existsAt(changes, place));
  // Without a precondition it says that the server gave up against too many others.
  if (reason !== 'Conflict' || write.precondition === undefined) return undefined;
  const { version, uid } = write.precondition;
  return sought((place) => {
    const live = existsAt(changes, place) ? changes[place - 1] : undefined;
    // Only what may create as well is told that nothing bears the uid; all else is told that nothing is there.
    if (live === undefined) return write.call === 'replace' && uid !== undefined;
    return (version !== undefined && live.version !== version) || (uid !== undefined && live.state.uid !== uid);
  });
}

function existsAt(changes: readonly Change[], place: number): boolean {
  const change = changes[place - 1];
  return change !== undefined && change.op !== 'delete';
}

/** Reports writes that ended before a write with an earlier place began. */
function misplaced(placed: readonly Placed[]): string[] {
  const messages: string[] = [];
  let latest: Placed | undefined;
  const ordered = placed.toSorted((a, b) => a.place - b.place);
  for (let i = 0; i < ordered.length; ) {
    const place = ordered[i]?.place;
    const together: Placed[] = [];
    for (let one = ordered[i]; one !== undefined && one.place === place; one = ordered[++i]) together.push(one);
    for (const one of together) {
      if (latest !== undefined && one.end < latest.start) {
        messages.push(
          `${one.what} belongs after ${latest.what}, which began ${(latest.start - one.end).toFixed(1)} ms after it had ended`,
        );
      }
    }
    for (const one of together) if (latest === undefined || one.start > latest.start) latest = one;
  }
  return messages;
}

/** Answers for which there is no place between what had ended before them and what began after them. */
function unplaceable(placed: readonly Placed[], sought: readonly Sought[], places: number): string[] {
  const messages: string[] = [];
  const settled: Placed[] = [...placed];
  for (const one of sought.toSorted((a, b) => a.start - b.start)) {
    let low = 0;
    let high = places;
    for (const { start, end, place } of settled) {
      if (end < one.start) low = Math.max(low, Math.floor(place));
      if (start > one.end) high = Math.min(high, Math.ceil(place) - 1);
    }
    let place = low;
    while (place <= high && !one.holds(place)) place++;
    if (place > high) messages.push(`${one.what} holds nowhere between the changes ${low} and ${high} of ${places}`);
    else settled.push({ start: one.start, end: one.end, place: place + SEEN, what: one.what });
  }
  return messages;
}
