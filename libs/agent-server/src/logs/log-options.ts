import { StatusError } from '@orch/machinery';

/** The part of a container's log that is asked for. */
export interface LogOptions {
  /** Whether lines are sent as they are written, until the container ends. */
  readonly follow: boolean;
  /** Whether it is the log of the run before. */
  readonly previous: boolean;
  /** Whether each line begins with its time. */
  readonly timestamps: boolean;
  /** Time of the first line as in the log, RFC 3339; absent for all. */
  readonly since?: number;
  /** Lines of the end; absent for all. */
  readonly tailLines?: number;
  /** Bytes at most; absent for all. */
  readonly limitBytes?: number;
}

/** Reads a query. @param now milliseconds since 1970 @throws StatusError 400, 422 */
export function logOptionsOf(query: URLSearchParams, now: number): LogOptions {
  const tail = query.get('tail') ?? query.get('tailLines');
  const tailLines = tail === null || tail === 'all' ? undefined : count(tail, 0);
  const limitBytes = numberOf(query, 'limitBytes', 1);
  const since = sinceOf(query, now);
  return {
    ...{ follow: isSet(query, 'follow'), previous: isSet(query, 'previous'), timestamps: isSet(query, 'timestamps') },
    ...(since !== undefined && { since }),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
  };
}

function sinceOf(query: URLSearchParams, now: number): number | undefined {
  const seconds = numberOf(query, 'sinceSeconds', 1);
  const text = query.get('sinceTime');
  if (seconds !== undefined && text !== null) throw invalid();
  if (seconds !== undefined) return now - seconds * 1000;
  if (text === null) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw undecodable();
  return time;
}

function isSet(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  return text !== null && text !== '0' && text.toLowerCase() !== 'false';
}

function numberOf(query: URLSearchParams, name: string, least: number): number | undefined {
  const text = query.get(name);
  return text === null ? undefined : count(text, least);
}

function count(text: string, least: number): number {
  if (!/^-?\d{1,15}$/.test(text)) throw undecodable();
  if (Number(text) < least) throw invalid();
  return Number(text);
}

const undecodable = () => new StatusError('BadRequest', '{"message": "Unable to decode query."}');
const invalid = () => new StatusError('Invalid', '{"message": "Invalid request."}');
