import { badRequest, type FieldError, forbiddenField, invalid, notSupported } from '@orch/machinery';
import { parseVersion } from '@orch/resources';
import type { Version } from '@orch/storage';
import { type Continuation, decodeContinue } from './continue-token.js';

/** Required freshness of an answer (spec: "Resource version semantics"). */
export type Freshness =
  | { readonly want: 'recent' }
  | { readonly want: 'any' }
  | { readonly want: 'not-older'; readonly than: Version }
  | { readonly want: 'exact'; readonly at: Version };

/** Parsed query of a list. */
export interface ListOptions {
  /** Required freshness. */
  readonly freshness: Freshness;
  /** 0 for no limit. */
  readonly limit: number;
  /** Position at which the list continues; absent for its first page. */
  readonly continuation?: Continuation;
}

/** `resourceVersion` of a get: unset for the most recent object, `0` for any, else not older than that. */
export function getFreshness(query: URLSearchParams): Freshness {
  const version = query.get('resourceVersion') ?? '';
  if (version === '') return { want: 'recent' };
  if (version === '0') return { want: 'any' };
  return { want: 'not-older', than: parseVersion(version) };
}

/**
 * Parses the options of a list by the table of the spec ("List").
 * @throws StatusError 422 for combinations that the table calls invalid, 400 for `continue` beside a version, and for
 * malformed values
 * @param chunking the feature gate `APIListChunking`: without it `limit` and `continue` are ignored
 */
export function listOptions(
  query: URLSearchParams,
  optionsKind: { kind: string; group: string },
  chunking = true,
): ListOptions {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const token = query.get('continue') ?? '';
  const asked = parseLimit(query.get('limit'));
  const limit = chunking ? asked : 0;
  timeoutOf(query);
  const errors = [...matchErrors(version, match, token), ...initialEventsErrors(query)];
  if (errors.length > 0) throw invalid(optionsKind.kind, optionsKind.group, '', errors);
  if (chunking && token !== '') {
    if (version !== '' && version !== '0')
      throw badRequest('specifying resource version is not allowed when using continue');
    return { freshness: { want: 'recent' }, limit, continuation: decodeContinue(token) };
  }
  return { freshness: listFreshness(version, match, limit), limit };
}

function matchErrors(version: string, match: string, token: string): FieldError[] {
  if (match === '') return [];
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (version === '') errors.push(forbiddenField(field, `${field} is forbidden unless resourceVersion is provided`));
  if (token !== '') errors.push(forbiddenField(field, `${field} is forbidden when continue is provided`));
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    errors.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']));
  }
  if (match === 'Exact' && version === '0') {
    errors.push(forbiddenField(field, `${field} "exact" is forbidden for resourceVersion "0"`));
  }
  return errors;
}

function initialEventsErrors(query: URLSearchParams): FieldError[] {
  if (!query.has('sendInitialEvents')) return [];
  return [forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
}

function listFreshness(version: string, match: string, limit: number): Freshness {
  if (version === '') return { want: 'recent' };
  if (version === '0') return { want: 'any' };
  const parsed = parseVersion(version);
  const exact = match === 'Exact' || (match === '' && limit > 0);
  return exact ? { want: 'exact', at: parsed } : { want: 'not-older', than: parsed };
}

function parseLimit(text: string | null): number {
  if (text === null) return 0;
  const limit = parseInt64(text);
  if (limit < 0) return 0;
  return Math.min(Number(limit), Number.MAX_SAFE_INTEGER);
}

/** @throws StatusError 400 with the message that clients know */
export function parseInt64(text: string): bigint {
  const refused = (why: string) => badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`);
  if (!/^[+-]?[0-9]+$/.test(text)) throw refused('invalid syntax');
  // Parsed only once it is known to be short: parsing takes time that grows with the square of the length.
  const value = text.length > MAX_INT64_TEXT ? undefined : BigInt(text.replace('+', ''));
  if (value === undefined || BigInt.asIntN(64, value) !== value) throw refused('value out of range');
  return value;
}

const MAX_INT64_TEXT = 40;

type InitialEvents = 'none' | 'legacy' | 'stream';

/** Parsed query of a watch. */
export interface WatchQuery {
  /**
   * Version that the stream starts after; `now` for the newest state of the database, `any` for whatever state is in
   * memory.
   */
  readonly from: { readonly at: 'now' } | { readonly at: 'any' } | { readonly after: Version };
  /** With `stream`: initial events are as of `from`, or of at least this version. */
  readonly notOlderThan?: Version;
  /**
   * How the objects that exist already are sent: not at all, as `ADDED` events, or as those followed by a bookmark that
   * marks their end.
   */
  readonly initialEvents: InitialEvents;
  /** Whether the client wants `BOOKMARK` events. */
  readonly bookmarks: boolean;
  /** Seconds until the server ends the stream; undefined leaves the choice to the server. */
  readonly timeoutSeconds?: number;
}

/**
 * Query of a watch. With the gate `WatchList` off, `sendInitialEvents` is refused so that clients fall back to a list.
 * @throws StatusError 422 / 400
 */
export function watchOptions(
  query: URLSearchParams,
  optionsKind: { kind: string; group: string },
  watchList: boolean,
): WatchQuery {
  const version = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const send = parseBool(query, 'sendInitialEvents');
  const errors = watchErrors(match, send, watchList, query.get('continue') ?? '');
  if (errors.length > 0) throw invalid(optionsKind.kind, optionsKind.group, '', errors);
  const common = {
    bookmarks: parseBool(query, 'allowWatchBookmarks') ?? false,
    ...timeoutOf(query),
  };
  if (send) {
    const known = version !== '' && version !== '0';
    return {
      ...common,
      from: version === '0' ? { at: 'any' } : { at: 'now' },
      ...(known && { notOlderThan: parseVersion(version) }),
      initialEvents: 'stream',
    };
  }
  if (version === '' || version === '0') {
    const initialEvents = send === false ? 'none' : 'legacy';
    return { ...common, from: { at: version === '' ? 'now' : 'any' }, initialEvents };
  }
  return { ...common, from: { after: parseVersion(version) }, initialEvents: 'none' };
}

function watchErrors(match: string, send: boolean | undefined, watchList: boolean, token: string): FieldError[] {
  const field = 'resourceVersionMatch';
  const errors: FieldError[] = [];
  if (send !== undefined && match !== 'NotOlderThan') {
    errors.push(forbiddenField(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  }
  if (send !== undefined && !watchList) {
    const text = 'sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled';
    errors.push(forbiddenField('sendInitialEvents', text));
  }
  if (send === undefined && match !== '') {
    errors.push(forbiddenField(field, `${field} is forbidden for watch unless sendInitialEvents is provided`));
  }
  if (match !== '' && match !== 'NotOlderThan') errors.push(notSupported(field, match, ['NotOlderThan']));
  if (match !== '' && token !== '') {
    errors.push(forbiddenField(field, `${field} is forbidden when continue is provided`));
  }
  return errors;
}

/** Longest timeout that may be requested, in seconds: 31 years. */
const MAX_TIMEOUT_SECONDS = 999_999_999n;

function timeoutOf(query: URLSearchParams): { timeoutSeconds?: number } {
  const text = query.get('timeoutSeconds');
  if (text === null) return {};
  const seconds = parseInt64(text);
  if (seconds < 0n || seconds > MAX_TIMEOUT_SECONDS) {
    throw badRequest(`Invalid value: ${JSON.stringify(text)}: timeoutSeconds is not a number of seconds`);
  }
  return seconds === 0n ? {} : { timeoutSeconds: Number(seconds) };
}

/** Parses a boolean: `0` and `false` in any case are false, any other value is true; absent is undefined. */
export function parseBool(query: URLSearchParams, name: string): boolean | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  return text !== '0' && text.toLowerCase() !== 'false';
}
