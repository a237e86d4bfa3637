import type { ApiObject, Names } from '@orch/machinery';
import { Backoff } from '@orch/runtime/work';
import { acceptOf, type BinaryForm, isInForm } from '../binary-form.js';
import { ApiError, isTransient, TransportError } from '../errors.js';
import { type Query, type ResourceRef, resourcePath } from '../paths.js';
import { type Sleep, timerSleep } from '../sleep.js';
import type { Transport } from '../transport.js';
import { frames } from './frames.js';
import { lines } from './lines.js';

/** A change, or a bookmark: an object with only the version up to which all changes were sent. */
export type WatchEvent<T extends ApiObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly object: ApiObject };

/** Start of a watch. */
export type WatchStart =
  /** After this version, from a list or an earlier watch. */
  | { readonly after: string }
  /**
   * With an ADDED event for each existing object, ended by a bookmark that {@link endsInitialEvents} recognizes (gate
   * `WatchList`). `notOlderThan`: the least version of that state; unset asks for the newest.
   */
  | { readonly initialEvents: true; readonly notOlderThan?: string };

/** Selection and duration of a watch. */
export interface WatchOptions {
  /** Same as {@link ListSelectors.labelSelector}. */
  readonly labelSelector?: string;
  /** Same as {@link ListSelectors.fieldSelector}. */
  readonly fieldSelector?: string;
  /** Timeout of a request, seconds. Default: random from 300 to 600, so that clients do not reconnect together. */
  readonly timeoutSeconds?: number;
  /** Ends the watch without an error. */
  readonly signal?: AbortSignal;
  /**
   * Called before a request is made again, with the error that ended the previous one (undefined: it ended cleanly).
   */
  readonly onResume?: (cause: unknown) => void;
}

interface Waiting {
  readonly sleep?: Sleep;
  readonly random?: () => number;
}

/** Seconds beyond its own timeout after which a silent stream counts as dead. */
const SILENCE_SECONDS = 30;

/**
 * Yields the events of one watch request, until it ends cleanly.
 * Throws {@link ApiError} when it is refused or ends with an `ERROR` event (410 when the history is gone) and
 * {@link TransportError} when the connection fails; a truncated event is never yielded.
 */
export async function* openWatch<T extends ApiObject>(
  transport: Transport,
  ref: ResourceRef,
  query: Query,
  signal?: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void> {
  const { form } = transport;
  const headers = { accept: acceptOf(form) };
  const request = { query: { ...query, watch: true }, headers, ...(signal && { signal }) };
  const limit = Number(query.timeoutSeconds ?? 3600);
  let isBinary = false;
  const pieces = transport.stream(resourcePath(ref), request, (limit + SILENCE_SECONDS) * 1000, (contentType) => {
    isBinary = isInForm(form, contentType);
  });
  // The type is known before the first piece is split.
  for await (const event of split(pieces, () => isBinary)) {
    yield readEvent<T>(event, isBinary ? form : undefined);
  }
}

/** Splits a stream into events by its form, which is known with the first piece. */
async function* split(pieces: AsyncGenerator<Buffer, void>, isBinary: () => boolean): AsyncGenerator<Buffer, void> {
  try {
    const first = await pieces.next();
    if (first.done) return;
    const all = (async function* () {
      yield first.value;
      yield* pieces;
    })();
    yield* isBinary() ? frames(all) : lines(all);
  } finally {
    await pieces.return();
  }
}

function readEvent<T extends ApiObject>(text: Buffer, form: BinaryForm | undefined): WatchEvent<T> {
  let event: { type?: string; object?: unknown };
  try {
    event = form ? form.decodeEvent(text) : JSON.parse(text.toString());
  } catch (cause) {
    const what = form ? 'that cannot be decoded' : 'that is not JSON';
    throw new TransportError(`the stream holds an event ${what}`, { cause });
  }
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      return { type: event.type, object: event.object as T };
    case 'ERROR':
      throw ApiError.fromEvent(event.object);
    default:
      throw new TransportError(`the stream holds an event of unknown type ${JSON.stringify(event.type)}`);
  }
}

/** Whether an event is the bookmark that ends the initial events of a watch. */
export const endsInitialEvents = (event: WatchEvent<ApiObject>, names: Names): boolean =>
  event.type === 'BOOKMARK' && event.object.metadata?.annotations?.[names.initialEventsEnd] === 'true';

/**
 * Yields events without a gap or a repeat, over as many requests as needed: after every end and every transient failure
 * it resumes from the last received version. Bookmarks are requested and yielded.
 *
 * Ends when `signal` aborts. Throws {@link ApiError} for permanent errors: 410, when the caller must list again, and
 * other refusals. Initial events cannot be resumed in the middle: if they are cut it throws the cause.
 */
export async function* watch<T extends ApiObject>(
  transport: Transport,
  ref: ResourceRef,
  start: WatchStart,
  options: WatchOptions & Waiting,
  names: Names,
): AsyncGenerator<WatchEvent<T>, void> {
  const { signal, sleep = timerSleep, random = Math.random, onResume } = options;
  const backoff = new Backoff({ firstMs: 200, longestMs: 10_000, random });
  let version = 'after' in start ? start.after : undefined;
  while (!signal?.aborted) {
    let cause: unknown;
    try {
      const query = watchQuery(start, version, options, random);
      for await (const event of openWatch<T>(transport, ref, query, signal)) {
        if (version !== undefined || endsInitialEvents(event, names))
          version = event.object.metadata?.resourceVersion ?? version;
        backoff.reset();
        yield event;
      }
      if (version === undefined) throw new TransportError('the stream ended in the middle of the initial events');
    } catch (error) {
      if (signal?.aborted) return;
      if (version === undefined || !isTransient(error)) throw error;
      cause = error;
    }
    if (signal?.aborted) return;
    const asked = cause instanceof ApiError ? (cause.retryAfterMs ?? 0) : 0;
    await sleep(Math.max(asked, backoff.next()), signal);
    if (!signal?.aborted) onResume?.(cause);
  }
}

function watchQuery(
  start: WatchStart,
  version: string | undefined,
  options: WatchOptions,
  random: () => number,
): Query {
  const { labelSelector, fieldSelector, timeoutSeconds = Math.round(300 * (1 + random())) } = options;
  const common = { labelSelector, fieldSelector, timeoutSeconds, allowWatchBookmarks: true };
  if (version !== undefined) return { ...common, resourceVersion: version };
  const notOlderThan = 'notOlderThan' in start ? start.notOlderThan : undefined;
  return { ...common, sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan', resourceVersion: notOlderThan };
}
