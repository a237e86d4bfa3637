import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@orch/runtime';
import { openStore, type PostgresStore, type SideSchema } from '@orch/storage';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@orch/storage/embedded';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BatchingBackend } from '../backends/batching.js';
import { type AuditEvent, EventRecord } from '../events/event.js';
import { eventOf } from '../testing/events.js';
import { EVENT_MIGRATIONS } from './migrations.js';
import { PostgresSink } from './postgres-sink.js';

const DAY_MS = 86_400_000;
const MONTH_MS = 30 * DAY_MS;

let dataDir: string;
let server: EmbeddedPostgres;
let store: PostgresStore;
let schemas = 0;
const sinks: PostgresSink[] = [];
const lost: [string, number][] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'audit-pg-'));
  server = await startEmbeddedPostgres({ dataDir });
  store = await openStore({ url: server.url, naming: 'orch' });
});
afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink.close();
  lost.length = 0;
});
afterAll(async () => {
  await store.close();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const schemaOf = (schema = `audit${++schemas}`): SideSchema => store.besideSchema(schema, EVENT_MIGRATIONS);

function sinkOf(database: Pick<SideSchema, 'query' | 'close'>): PostgresSink {
  const sink = new PostgresSink({
    database,
    retentionMs: MONTH_MS,
    lost: (plugin, count) => void lost.push([plugin, count]),
    clock: systemClock,
    onError: () => undefined,
  });
  sinks.push(sink);
  return sink;
}

/** @param days from today */
function at(days: number, event: Partial<AuditEvent> = {}): EventRecord {
  const stageTimestamp = new Date(Date.now() + days * DAY_MS).toISOString();
  return new EventRecord({ ...eventOf('id').event, stageTimestamp, ...event });
}

/** As whoever owns the schema may: servers make days of about today alone. */
async function makeDay(database: SideSchema, days: number, name?: string): Promise<void> {
  const day = (offset: number) => new Date(Date.now() + (days + offset) * DAY_MS).toISOString().slice(0, 10);
  const place = name ?? `event_${day(0).replaceAll('-', '')}`;
  await database.query(
    `CREATE TABLE ${place} PARTITION OF event FOR VALUES FROM ('${day(0)} 00:00Z') TO ('${day(1)} 00:00Z')`,
    [],
  );
}

const daysOf = (database: SideSchema) =>
  database.query("SELECT count(*) FROM pg_inherits WHERE inhparent = 'event'::regclass", []);

describe('events in PostgreSQL', () => {
  it('are told by columns, and as a whole', async () => {
    const database = schemaOf();
    await sinkOf(database).write([
      at(0, {
        verb: 'delete',
        impersonatedUser: { username: 'bob' },
        objectRef: { resource: 'deployments', apiGroup: 'apps', namespace: 'shop', name: 'web', subresource: 'scale' },
        responseStatus: { metadata: {}, code: 200 },
        sourceIPs: ['10.0.0.1', '10.0.0.2'],
      }),
      at(-1, { user: {}, verb: 'get' }),
    ]);
    const rows = await database.query(
      `SELECT username, impersonated, verb, api_group, resource, subresource, namespace, name, code, source_ip,
         event->'objectRef'->>'name' FROM event ORDER BY at DESC`,
      [],
    );
    expect(rows).toEqual([
      ['jane', 'bob', 'delete', 'apps', 'deployments', 'scale', 'shop', 'web', '200', '10.0.0.2', 'web'],
      ['', null, 'get', '', '', '', '', '', null, null, null],
    ]);
    expect(await daysOf(database)).toEqual([['2']]);
  });

  it('go by whole days once all of a day are older than they are kept', async () => {
    const database = schemaOf();
    await sinkOf(database).write([at(0)]);
    for (const days of [-29, -32, -60]) await makeDay(database, days);
    sinkOf(database);
    sinkOf(database);
    await expect.poll(() => daysOf(database)).toEqual([['2']]);
  });

  it.each(['10000-01-01', '2020-01-01', '0044-03-15 BC', 'infinity'])('have no place on %s', async (day) => {
    const database = schemaOf();
    await sinkOf(database).write([at(0)]);
    await expect(database.query('SELECT ensure_event_day($1::date)', [day])).rejects.toThrow(/have no place/);
    expect(await daysOf(database)).toEqual([['1']]);
  });

  it('of a day that is too far off are lost, and no others', async () => {
    const database = schemaOf();
    await sinkOf(database).write([at(0), at(-9), at(2), at(-2), at(9)]);
    expect(await database.query('SELECT count(*) FROM event', [])).toEqual([['3']]);
    expect(lost).toEqual([
      ['postgres', 1],
      ['postgres', 1],
    ]);
  });

  it('are dropped beside places that are those of no day, or cannot be dropped', async () => {
    const database = schemaOf();
    await makeDay(database, -40);
    await makeDay(database, -50, 'held');
    await database.query('CREATE VIEW holding AS SELECT at FROM held', []);
    for (const place of [
      "event_100000101 PARTITION OF event FOR VALUES FROM ('10000-01-01') TO ('10000-01-02')",
      "ancient PARTITION OF event FOR VALUES FROM ('0044-03-15 BC') TO ('0044-03-16 BC')",
      "late PARTITION OF event FOR VALUES FROM ('11000-01-01') TO (MAXVALUE)",
      'others PARTITION OF event DEFAULT',
    ])
      await database.query(`CREATE TABLE ${place}`, []);
    const drop = () => database.query("SELECT drop_old_event_days('30 days')", []);
    expect(await drop()).toEqual([['2']]);
    const places = "SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'event'::regclass ORDER BY 1::text";
    expect((await database.query(places, [])).flat().sort()).toEqual(['event_100000101', 'held', 'late', 'others']);
    await expect(drop()).rejects.toThrow(/old events cannot be dropped: .*depend/);
  });

  it('that cannot be held take no others along', async () => {
    const database = schemaOf();
    const noCode = at(0, { responseStatus: { metadata: {}, code: 1e12 } });
    await sinkOf(database).write([at(0), noCode, at(0)]);
    expect(await database.query('SELECT count(*) FROM event', [])).toEqual([['2']]);
    expect(lost).toEqual([['postgres', 1]]);
  });

  it.each([
    ['NUL', '"a\\u0000b"', 'a\ufffdb'],
    ['half of a character', '"a\\ud800b\\udc00\\uDBFF"', 'a\ufffdb\ufffd\ufffd'],
    ['a whole character', '"\\ud83d\\ude00"', '\u{1f600}'],
    ['a backslash before what looks like one', '"\\\\u0000 \\\\ud800 \\\\\\u0000"', '\\u0000 \\ud800 \\\ufffd'],
  ])('nobody keeps their own out: %s', async (_, request, shown) => {
    const database = schemaOf();
    await sinkOf(database).write([new EventRecord(at(0).event, { request })]);
    expect(await database.query(`SELECT event->>'requestObject' FROM event`, [])).toEqual([[shown]]);
    expect(lost).toEqual([]);
  });

  it('nobody keeps their own out: texts that are too long for an index, or half a character', async () => {
    const database = schemaOf();
    const long = (length: number) => Array.from({ length }, (_, at) => String.fromCodePoint(0x10000 + at)).join('');
    const username = `\ud800${long(5_000)}`;
    const objectRef = { resource: long(1_000), namespace: long(1_000), name: long(5_000) };
    await sinkOf(database).write([at(0, { user: { username }, objectRef })]);
    expect(lost).toEqual([]);
    const found = await database.query(`SELECT event->'objectRef'->>'name' = $1, username LIKE '\ufffd%' FROM event`, [
      objectRef.name,
    ]);
    expect(found).toEqual([['t', 't']]);
  });

  it('are written by several processes at once, from the first on', async () => {
    const schema = `audit${++schemas}`;
    const databases = [1, 2, 3].map(() => schemaOf(schema));
    await Promise.all(databases.map((database) => sinkOf(database).write([at(0), at(1)])));
    expect(await databases[0]?.query('SELECT count(*) FROM event', [])).toEqual([['6']]);
  });

  it('wait for a database that is away, and are lost and counted beyond the buffer', async () => {
    const database = schemaOf();
    let isAway = true;
    const flaky = {
      query: (text: string, values: readonly string[]) =>
        isAway ? Promise.reject(new Error('no connection')) : database.query(text, values),
      close: () => database.close(),
    };
    const settings = { bufferSize: 5, bufferBytes: 1 << 20, maxSize: 2, maxWaitMs: 0, concurrency: 1 };
    const note = (plugin: string, count: number) => void lost.push([plugin, count]);
    const backend = new BatchingBackend(sinkOf(flaky), settings, note, systemClock);
    backend.submit(at(0));
    backend.submit(at(0));
    // These have been taken out of the buffer.
    await new Promise(setImmediate);
    for (let number = 0; number < 7; number++) backend.submit(at(0));
    expect(lost).toEqual([
      ['buffered', 1],
      ['buffered', 1],
    ]);
    isAway = false;
    await expect.poll(() => database.query('SELECT count(*) FROM event', []).catch(() => [])).toEqual([['7']]);
  });

  it('are found by index: who deleted it and when', async () => {
    const database = schemaOf();
    await sinkOf(database).write([at(0)]);
    const plan = await database.query(
      "EXPLAIN SELECT at, username FROM event WHERE resource = 'pods' AND namespace = 'd' AND name = 'x' AND verb = 'delete' ORDER BY at DESC",
      [],
    );
    expect(plan.join('\n')).toMatch(/Index Scan.*resource_namespace_name_at_idx/);
  });
});
