import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@orch/runtime';
import type { AuditSink, LostEvents } from '../backends/backend.js';
import type { EventRecord } from '../events/event.js';

/** The schema that events are written to, made by {@link EVENT_MIGRATIONS}. */
export interface EventDatabase {
  /** Runs a statement. Rejects with an error with PostgreSQL's `code` if that has refused it. */
  query(text: string, values: readonly string[]): Promise<unknown>;
  /** Accepts no more statements. */
  close(): Promise<void>;
}

interface PostgresSettings {
  readonly database: EventDatabase;
  /** Retention of events, milliseconds; undefined if it is enforced elsewhere. */
  readonly retentionMs: number | undefined;
  readonly lost: LostEvents;
  readonly clock: Clock;
  /** Called with errors about old events. */
  readonly onError: (error: unknown) => void;
}

/** Inserts events. Indexed columns are truncated, in characters, to fit into an index: the whole is in `event`. */
const INSERT = `
  INSERT INTO event (at, stage, level, audit_id, username, impersonated, verb, api_group, resource, subresource, namespace,
    name, code, source_ip, event)
  SELECT (e->>'stageTimestamp')::timestamptz, e->>'stage', e->>'level', e->>'auditID',
    left(coalesce(e->'user'->>'username', ''), 512),
    e->'impersonatedUser'->>'username', e->>'verb', coalesce(e->'objectRef'->>'apiGroup', ''),
    left(coalesce(e->'objectRef'->>'resource', ''), 63), coalesce(e->'objectRef'->>'subresource', ''),
    left(coalesce(e->'objectRef'->>'namespace', ''), 63), left(coalesce(e->'objectRef'->>'name', ''), 400),
    (e->'responseStatus'->>'code')::integer, e->'sourceIPs'->>-1, e
  FROM jsonb_array_elements($1::jsonb) e`;

/** Milliseconds between rounds that drop old events, and between tries while the database is unavailable. */
const ROUND_MS = 3_600_000;
const RETRY_MS = 1_000;
/** Maximum characters of a batch: PostgreSQL reads it as one value. */
const BATCH_CHARACTERS = 16 << 20;

/** Writes events to PostgreSQL, a partition for each day; old days are dropped whole. */
export class PostgresSink implements AuditSink {
  readonly name = 'postgres';
  /** Days that have a partition, as far as this process knows. */
  readonly #days = new Set<string>();
  readonly #stop = new AbortController();
  #cancelRound: () => void = () => undefined;

  constructor(private readonly settings: PostgresSettings) {
    if (settings.retentionMs !== undefined) void this.#round(settings.retentionMs);
  }

  async write(events: readonly EventRecord[]): Promise<void> {
    for (const batch of batches(events)) await this.#writeSoon(batch);
  }

  /** Retries until the database accepts it: meanwhile the caller's buffer overflows. */
  async #writeSoon(batch: readonly EventRecord[]): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      try {
        return await this.#insert(batch);
      } catch (error) {
        if (signal.aborted) throw error;
        if (isOfData(error)) return this.#oneByOne(batch, error);
      }
      await pause(RETRY_MS, undefined, { signal });
    }
  }

  /** Writes events one by one, so that an event that PostgreSQL cannot store fails no others. */
  async #oneByOne(batch: readonly EventRecord[], error: unknown): Promise<void> {
    const [only] = batch;
    if (only && batch.length === 1) return this.settings.lost(this.name, 1, error);
    for (const event of batch) await this.#writeSoon([event]);
  }

  async #insert(batch: readonly EventRecord[]): Promise<void> {
    const { database } = this.settings;
    for (const day of new Set(batch.map(({ event }) => event.stageTimestamp.slice(0, 10)))) {
      if (this.#days.has(day)) continue;
      await database.query('SELECT ensure_event_day($1::date)', [day]);
      this.#days.add(day);
    }
    try {
      await database.query(INSERT, [`[${batch.map(storable).join(',')}]`]);
    } catch (error) {
      // Another server may have dropped the partition of a day.
      this.#days.clear();
      throw error;
    }
  }

  async #round(retentionMs: number): Promise<void> {
    const { database, clock, onError } = this.settings;
    try {
      await database.query(`SELECT drop_old_event_days($1::interval)`, [`${retentionMs} milliseconds`]);
      this.#days.clear();
    } catch (error) {
      if (!this.#stop.signal.aborted) onError(error);
    }
    if (!this.#stop.signal.aborted) this.#cancelRound = clock.after(ROUND_MS, () => void this.#round(retentionMs));
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the process ends'));
    this.#cancelRound();
    await this.settings.database.close();
  }
}

function* batches(events: readonly EventRecord[]): Generator<readonly EventRecord[]> {
  let batch: EventRecord[] = [];
  let characters = 0;
  for (const event of events) {
    const { length } = event.json;
    if (batch.length > 0 && characters + length > BATCH_CHARACTERS) {
      yield batch;
      [batch, characters] = [[], 0];
    }
    batch.push(event);
    characters += length;
  }
  if (batch.length > 0) yield batch;
}

/** Escapes of JSON: of characters, of surrogate pairs, and of those that PostgreSQL's texts cannot hold. */
const ESCAPE = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u(0000|d[89a-f][\da-f]{2})|.)/gi;

/**
 * Replaces NUL and lone surrogates, which PostgreSQL's texts cannot hold: a user with one in its name must not go
 * unrecorded.
 */
const storable = ({ json }: EventRecord): string =>
  json.includes('\\u')
    ? json.replace(ESCAPE, (whole, refused?: string) => (refused === undefined ? whole : '\\ufffd'))
    : json;

/** SQLSTATE for a row without a partition. */
const NO_PARTITION = '23514';

/** Whether the database has refused the data, and is not just unavailable: data, limits and constraints. */
function isOfData(error: unknown): boolean {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const state = String(code ?? cause?.code ?? '');
  return state !== NO_PARTITION && /^(?:22|23|54)/.test(state);
}
