import type { Clock } from '@orch/runtime/clock';
import {
  HistoryExpiredError,
  type PriorDetail,
  StoreUnavailableError,
  type TypeId,
  UnreadableChangesError,
  type Version,
} from '@orch/storage';
import type { ConvertedHistory, ServedRow } from '../conversion/body-conversion.js';
import type { ServedSource } from '../conversion/converted-source.js';
import type { Describe } from '../state/attributes.js';
import { type CacheEntry, entryOf, sizeOf, unreadEntry } from '../state/cache-entry.js';
import type { ChangeEvent } from './change-event.js';
import { EVENT_OVERHEAD } from './ring.js';

/** Maximum number of changes read at a time: the source bounds their bytes. */
const PAGE_CHANGES = 1024;
/** Milliseconds after which unused pages are dropped. */
const IDLE = 10_000;

/** Consecutive changes: all after one version, up to that of the last. */
interface HistoryPage {
  readonly after: Version;
  /** Detail in which the states before are known. */
  readonly prior: PriorDetail;
  readonly events: readonly ChangeEvent[];
  readonly last: Version;
  readonly bytes: number;
}

interface Waiting {
  readonly after: Version;
  readonly prior: PriorDetail;
  /** Number of the round in which it is served. */
  readonly round: number;
  readonly resolve: (events: readonly ChangeEvent[]) => void;
  readonly reject: (error: unknown) => void;
}

interface HistoryReaderOptions {
  readonly source: ServedSource;
  readonly type: TypeId;
  readonly describe: Describe;
  readonly clock: Clock;
  /** Bytes of pages kept for later watchers. */
  readonly maxBytes: number;
}

/**
 * Reads history below the ring for watchers that resume there. One query runs at a time, from the lowest version that
 * is waited for, and its page serves all whose version is in it, now and for a while: a crowd that reconnects at as
 * many versions as it has members reads what it has missed about once. A caller that arrives while others wait is
 * served after all of them, unless a page of theirs serves it: repeated requests for low versions do not starve those
 * for higher ones.
 */
export class HistoryReader {
  /** The most recently used last. */
  #pages: HistoryPage[] = [];
  #bytes = 0;
  #waiting: Waiting[] = [];
  /** Number of the current round. */
  #round = 0;
  #reading = false;
  #epoch = 0;
  #lastUsed = 0;
  #cancelIdle: (() => void) | undefined;
  /** Numbers of queries, and of pages requested. */
  readonly counts = { reads: 0, asked: 0 };

  constructor(private readonly options: HistoryReaderOptions) {}

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Returns changes after a version, without a gap; empty when there are none.
   * @param prior what is needed of the states before them: with `version` their attributes must not be used
   * @throws HistoryExpiredError
   * @throws StoreUnavailableError
   */
  page(after: Version, prior: PriorDetail = 'body'): Promise<readonly ChangeEvent[]> {
    this.counts.asked++;
    this.#lastUsed = this.options.clock.now();
    const known = this.#known(after, prior);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ after, prior, round: this.#round + 1, resolve, reject });
      if (!this.#reading) void this.#readAll();
    });
  }

  /** Forgets everything: it is of another history, or no watcher is left. */
  clear(): void {
    this.#epoch++;
    this.#pages = [];
    this.#bytes = 0;
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
  }

  /** Never rejects. */
  async #readAll(): Promise<void> {
    this.#reading = true;
    while (this.#waiting.length > 0) {
      const { from, prior } = this.#next();
      const epoch = this.#epoch;
      try {
        this.counts.reads++;
        const changes = await this.options.source.changes(this.options.type, from, PAGE_CHANGES, prior);
        this.#settle(this.#page(from, prior, changes), epoch === this.#epoch);
      } catch (error) {
        this.#fail(from, error);
      }
    }
    this.#reading = false;
  }

  /** The lowest version that this round waits for, or the next if none does, and the detail that its callers need. */
  #next(): { from: Version; prior: PriorDetail } {
    if (!this.#waiting.some(({ round }) => round <= this.#round)) this.#round++;
    const due = this.#waiting.filter(({ round }) => round <= this.#round);
    return { from: lowestOf(due), prior: due.some(({ prior }) => prior === 'body') ? 'body' : 'version' };
  }

  #page(after: Version, prior: PriorDetail, changes: readonly ConvertedHistory[]): HistoryPage {
    const entries = new Map<Buffer, CacheEntry>();
    const events = changes.map((change) => this.#eventOf(change, entries));
    return { after, prior, events, last: events.at(-1)?.version ?? after, bytes: bytesOf(events) };
  }

  #settle(page: HistoryPage, keep: boolean): void {
    const still: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const { after, prior } = waiting;
      const events = after === page.after && suffices(page, prior) ? page.events : part(page, after, prior);
      if (events === undefined) still.push(waiting);
      else waiting.resolve(events);
    }
    this.#waiting = still;
    if (keep && page.events.length > 0) this.#keep(page);
  }

  /**
   * Rejects callers that an error concerns. Expired history concerns those below the floor, or at the version asked
   * for; an unavailable database all; an unreadable change those whose next change it is: others may get past it later,
   * or never meet it.
   */
  #fail(from: Version, error: unknown): void {
    const away = error instanceof StoreUnavailableError && !(error instanceof UnreadableChangesError);
    const still: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const { after, reject } = waiting;
      if (error instanceof HistoryExpiredError) {
        if (after >= error.floor && after !== from) still.push(waiting);
        else reject(new HistoryExpiredError(after, error.floor, error.head));
      } else if (away || after === from) reject(error);
      else still.push(waiting);
    }
    this.#waiting = still;
  }

  #known(after: Version, prior: PriorDetail): readonly ChangeEvent[] | undefined {
    for (const [at, page] of this.#pages.entries()) {
      const events = part(page, after, prior);
      if (events === undefined) continue;
      this.#pages.splice(at, 1);
      this.#pages.push(page);
      return events;
    }
    return undefined;
  }

  #keep(page: HistoryPage): void {
    this.#pages.push(page);
    this.#bytes += page.bytes;
    while (this.#bytes > this.options.maxBytes) this.#bytes -= this.#pages.shift()?.bytes ?? this.#bytes;
    this.#cancelIdle ??= this.options.clock.after(IDLE, () => this.#idle());
  }

  #idle(): void {
    this.#cancelIdle = undefined;
    const { clock } = this.options;
    const left = this.#lastUsed + IDLE - clock.now();
    if (left <= 0) this.clear();
    else this.#cancelIdle = clock.after(left, () => this.#idle());
  }

  /**
   * @param entries of the states that earlier changes have left, by their bodies: one state is one entry, and parsed
   * once
   */
  #eventOf(change: ConvertedHistory, entries: Map<Buffer, CacheEntry>): ChangeEvent {
    const { describe } = this.options;
    const { version, op } = change;
    const prior = this.#priorOf(change, entries);
    const entry = entryOf(change, describe);
    entries.set(change.body, entry);
    return { version, op, entry, prior, at: 0, frames: undefined };
  }

  #priorOf(change: ConvertedHistory, entries: Map<Buffer, CacheEntry>): CacheEntry | undefined {
    const { priorVersion } = change;
    const before = rowBefore(change);
    if (before === undefined) return priorVersion === undefined ? undefined : unreadEntry(change, priorVersion);
    const known = entries.get(before.body);
    return known?.version === before.version ? known : entryOf(before, this.options.describe);
  }
}

/** Returns the state before a change, as a row; undefined if there was none, or it was not read. */
function rowBefore({ namespace, name, uid, version, ...change }: ConvertedHistory): ServedRow | undefined {
  const { prior, priorVersion = version, priorStoredVersion = '', priorDefaults = 0, priorFailure } = change;
  if (prior === undefined) return undefined;
  const lying = { version: priorVersion, storedVersion: priorStoredVersion, defaults: priorDefaults, body: prior };
  return { namespace, name, uid, ...lying, ...(priorFailure && { failure: priorFailure }) };
}

/** Bytes of a page: of two consecutive events, one may hold as its prior state the entry of the other. */
function bytesOf(events: readonly ChangeEvent[]): number {
  const entries = new Set(events.flatMap(({ entry, prior }) => (prior ? [prior, entry] : [entry])));
  let bytes = events.length * EVENT_OVERHEAD;
  for (const entry of entries) bytes += sizeOf(entry);
  return bytes;
}

function lowestOf(waiting: readonly Waiting[]): Version {
  let lowest = waiting[0]?.after ?? 0n;
  for (const { after } of waiting) if (after < lowest) lowest = after;
  return lowest;
}

/** Whether a page was read with the needed detail. */
const suffices = (page: HistoryPage, prior: PriorDetail): boolean => prior === 'version' || page.prior === 'body';

/** Events of a page after a version; undefined when the version is outside of it, or less was read than is needed. */
function part(page: HistoryPage, version: Version, prior: PriorDetail): readonly ChangeEvent[] | undefined {
  const { after, events, last } = page;
  if (version < after || version >= last || !suffices(page, prior)) return undefined;
  if (version === after) return events;
  let from = 0;
  let to = events.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const event = events[middle];
    if (event !== undefined && event.version <= version) from = middle + 1;
    else to = middle;
  }
  return events.slice(from);
}
