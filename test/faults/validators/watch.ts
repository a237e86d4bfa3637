import type { Floors } from '../model/floors.js';
import type { ExpectedEvent, History } from '../model/history.js';
import type { Life, Refusal } from '../model/records.js';
import { describeSelection } from '../model/selection.js';
import type { Rule, Violation } from './violation.js';

interface Fault {
  readonly rule: Rule;
  readonly message: string;
  /** How many entries had been accepted; tells the best of several readings of a life. */
  readonly accepted: number;
}

/**
 * V2: the life of a watcher is the replay of the committed history from its start, filtered; its bookmarks claim what
 * was sent and nothing else; it was refused nothing that the history holds.
 * @param floors at or below which history may have been dropped
 */
export function checkWatch(life: Life, history: History, floors: Floors): Violation[] {
  const fault = judge(life, history);
  const where = `watcher ${life.watcher} of ${life.kind} ${describeSelection(life.selection)} (${life.start.mode})`;
  const faults = [...(fault ? [fault] : []), ...life.refusals.flatMap((refusal) => judgeRefusal(refusal, floors))];
  return faults.map(({ rule, message }) => ({ rule, message: `${where}: ${message}` }));
}

/** Being busy or broken may pass; what lasts longer than any fault of a scenario and its recovery does not, ms. */
const OUTSIDE_MS = 60_000;

function judgeRefusal(refusal: Refusal, floors: Floors): { rule: Rule; message: string }[] {
  const { code, message, after, ended, outside, at } = refusal;
  if (code === 429 || code >= 500) {
    if (outside <= OUTSIDE_MS) return [];
    return [{ rule: 'V2.refused', message: `${code} ${message}, again and again for ${outside} ms` }];
  }
  if (code !== 410) return [{ rule: 'V2.refused', message: `${code} ${message}` }];
  const floor = ended ? floors.outOfRings(at) : floors.at(at);
  if (after !== undefined && after < floor) return [];
  return [{ rule: 'V2.resumable', message: `410 after ${after}, though history reached back to ${floor}: ${message}` }];
}

function judge(life: Life, history: History): Fault | undefined {
  switch (life.start.mode) {
    case 'list':
      return compare(life, history.replay(life.selection), life.start.version, 0);
    case 'stream':
      return judgeStream(life, history, life.start.known);
    case 'legacy':
      return judgeLegacy(life, history, life.start.known);
  }
}

function judgeStream(life: Life, history: History, known: number): Fault | undefined {
  const end = life.initialEnd;
  if (end === undefined) {
    if (life.lasted) return { rule: 'V2.missing', message: 'the initial events were never closed', accepted: 0 };
    return checkPieces(life, history);
  }
  const version = -(life.entries[end] ?? 0);
  if (version < known) {
    return {
      rule: 'V2.initial',
      message: `the state is of ${version}, older than ${known}, which was known`,
      accepted: 0,
    };
  }
  const expected = [...history.stateAt(version, life.selection).values()].map(
    ({ version: at, print }) => `${at} ${print}`,
  );
  const sent = life.entries.slice(0, end).map((entry) => {
    if (entry < 0) return 'a bookmark';
    const event = life.events.get(entry);
    return event.type === 'ADDED' ? `${event.version} ${event.print}` : event.type;
  });
  const difference = firstDifference(expected.sort(), sent.sort());
  if (difference) return { rule: 'V2.initial', message: `the state at ${version}: ${difference}`, accepted: 0 };
  return compare(life, history.replay(life.selection), version, end + 1);
}

/**
 * Where nothing marks the end of the state, it is looked for: some version must exist whose state is what came first and
 * whose replay is what came then.
 */
function judgeLegacy(life: Life, history: History, known: number): Fault | undefined {
  const expected = history.replay(life.selection);
  let best: Fault | undefined;
  for (const { version, count } of possibleStarts(life, expected, known)) {
    const fault = compare(life, expected, version, count);
    if (fault === undefined) return undefined;
    if (best === undefined || fault.accepted > best.accepted) best = fault;
  }
  const cut = !life.lasted && life.entries.every((entry) => entry >= 0 && life.events.get(entry).type === 'ADDED');
  if (cut) return checkPieces(life, history);
  if (best !== undefined) return best;
  return {
    rule: 'V2.initial',
    message: `what came first (${life.entries.length} entries in all) is the state of no version from ${known} on`,
    accepted: 0,
  };
}

/** Every version whose selected state is what the first entries of a life show. */
function possibleStarts(life: Life, expected: readonly ExpectedEvent[], known: number) {
  const prefix = [0];
  for (const entry of life.entries) {
    if (entry < 0) break;
    const { type, version, print } = life.events.get(entry);
    if (type !== 'ADDED') break;
    prefix.push((prefix.at(-1) ?? 0) ^ hash(version, print));
  }
  const starts: { version: number; count: number }[] = [];
  const state = new Map<string, number>();
  let sum = 0;
  for (let i = -1; i < expected.length; i++) {
    const event = expected[i];
    if (event !== undefined) {
      const key = event.print.slice(0, event.print.indexOf(' '));
      sum ^= state.get(key) ?? 0;
      state.delete(key);
      if (event.type !== 'DELETED') {
        const own = hash(event.version, event.print);
        state.set(key, own);
        sum ^= own;
      }
    }
    // This state lasts until right before the next event.
    const last = (expected[i + 1]?.version ?? Number.POSITIVE_INFINITY) - 1;
    if (last >= known && prefix[state.size] === sum) starts.push({ version: event?.version ?? 0, count: state.size });
  }
  return starts;
}

/** The pieces of a state that was cut must at least have been true. */
function checkPieces(life: Life, history: History): Fault | undefined {
  for (const entry of life.entries) {
    if (entry < 0) return { rule: 'V2.bookmark', message: 'a bookmark comes before the state is whole', accepted: 0 };
    const { type, version, print } = life.events.get(entry);
    const expected = history.replay(life.selection).find((event) => event.version === version);
    if (type !== 'ADDED' || expected === undefined || expected.type === 'DELETED' || expected.print !== print) {
      return { rule: 'V2.initial', message: `${type} ${version} ${print} was never a selected object`, accepted: 0 };
    }
  }
  return undefined;
}

/** Compares the entries from `from` on with the replay after `start`. */
function compare(life: Life, expected: readonly ExpectedEvent[], start: number, from: number): Fault | undefined {
  let next = firstAfter(expected, start);
  let last = start;
  let bookmark = 0;
  for (let i = from; i < life.entries.length; i++) {
    const entry = life.entries[i] ?? 0;
    const fault = (rule: Rule, message: string): Fault => ({ rule, message, accepted: i });
    const want = expected[next];
    if (entry < 0) {
      const version = -entry;
      if (version < last) return fault('V2.bookmark', `bookmark ${version} goes back behind ${last}`);
      if (want !== undefined && want.version <= version) {
        return fault(
          'V2.bookmark',
          `bookmark ${version} claims ${want.type} ${want.version}, which was not sent before`,
        );
      }
      bookmark = version;
      last = version;
      continue;
    }
    const event = life.events.get(entry);
    const shown = `${event.type} ${event.version} (${event.print})`;
    if (event.version <= bookmark) return fault('V2.bookmark', `${shown} comes after bookmark ${bookmark}`);
    if (event.version <= last) return fault('V2.order', `${shown} comes after ${last}`);
    if (want === undefined || event.version < want.version)
      return fault('V2.phantom', `${shown} was never committed so`);
    if (event.version > want.version) {
      return fault('V2.missing', `${want.type} ${want.version} (${want.print}) is missing before ${event.version}`);
    }
    if (event.type !== want.type || event.print !== want.print) {
      return fault('V2.content', `${shown} ought to be ${want.type} (${want.print})`);
    }
    last = event.version;
    next++;
  }
  const want = expected[next];
  if (!life.lasted || want === undefined) return undefined;
  const missing = expected.length - next;
  const message = `${missing} events are missing at the end, the first ${want.type} ${want.version}`;
  return { rule: 'V2.missing', message, accepted: life.entries.length };
}

/** Index of the first event above a version. */
function firstAfter(events: readonly ExpectedEvent[], version: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.version ?? 0) > version) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function firstDifference(expected: readonly string[], found: readonly string[]): string | undefined {
  for (let i = 0; i < Math.max(expected.length, found.length); i++) {
    if (expected[i] !== found[i]) {
      return `${expected.length} objects expected and ${found.length} there; ${expected[i] ?? 'nothing'} against ${found[i] ?? 'nothing'}`;
    }
  }
  return undefined;
}

/** 32 bits; sets of objects are compared by the exclusive or of their hashes before anything is compared in full. */
function hash(version: number, print: string): number {
  let mixed = version | 0;
  for (let i = 0; i < print.length; i++) mixed = Math.imul(mixed ^ print.charCodeAt(i), 0x5bd1e995);
  return mixed ^ (mixed >>> 15);
}
