import { MemorySource } from '@orch/feed/testing';
import { ManualClock } from '@orch/runtime/testing';
import { HistoryExpiredError, type PriorDetail, StoreUnavailableError, type Version } from '@orch/storage';
import { describe, expect, it } from 'vitest';
import { UnreadStateError } from '../errors.js';
import { bodyOf, describeRow } from '../testing/fixtures.js';
import { HistoryReader } from './history-reader.js';

const TYPE = 1;

function setup(changes: number, { maxBytes = 16 << 20, content = 'x' } = {}) {
  const source = new MemorySource();
  for (let number = 0; number < changes; number++) {
    source.write(TYPE, 'put', { namespace: 'a', name: `o${number % 100}` }, bodyOf({ content }));
  }
  const clock = new ManualClock();
  const reader = new HistoryReader({ source, type: TYPE, describe: describeRow, clock, maxBytes });
  /** Reads everything after a version, page by page. */
  const rest = async (after: Version): Promise<Version[]> => {
    const versions: Version[] = [];
    for (let at = after; ; ) {
      const page = await reader.page(at);
      const last = page.at(-1);
      if (last === undefined) return versions;
      versions.push(...page.map(({ version }) => version));
      at = last.version;
    }
  };
  const wanted = (after: Version) => source.history(TYPE).flatMap(({ version }) => (version > after ? [version] : []));
  return { source, clock, reader, rest, wanted };
}

describe('HistoryReader', () => {
  it('serves a thousand that come back to a thousand versions at once with a handful of queries', async () => {
    const { source, reader, rest, wanted } = setup(3000);
    const starts = Array.from({ length: 1000 }, (_, number) => BigInt((number * 7) % 2990));
    const read = await Promise.all(starts.map(rest));
    for (const [at, versions] of read.entries()) expect(versions).toEqual(wanted(starts[at] ?? 0n));
    expect(source.calls.changes).toBeLessThanOrEqual(12);
    expect(reader.counts.reads).toBe(source.calls.changes);
    expect(reader.counts.asked).toBeGreaterThan(1000);
  });

  it('shares the events themselves, so that their frames are made once', async () => {
    const { reader } = setup(100);
    const [all, some] = await Promise.all([reader.page(0n), reader.page(50n)]);
    expect(some[0]).toBe(all[50]);
  });

  it('says in which version of the API each state lies and which defaults it was given, and the one before it', async () => {
    const { source, clock } = setup(0);
    const key = { namespace: 'a', name: 'o' };
    source.write(TYPE, 'put', key, bodyOf({ content: 'x' }));
    source.write(TYPE, 'put', key, bodyOf({ content: 'y' }));
    const lying = source.history(TYPE).map((change, at) => ({
      ...change,
      storedVersion: `v${at + 1}`,
      defaults: at + 1,
      ...(at > 0 && { priorStoredVersion: `v${at}`, priorDefaults: at }),
    }));
    Object.assign(source, { changes: async () => lying });
    const reader = new HistoryReader({ source, type: TYPE, describe: describeRow, clock, maxBytes: 1 << 20 });
    const page = await reader.page(0n);
    expect(page.map(({ entry, prior }) => [prior?.storedVersion, entry.storedVersion])).toEqual([
      [undefined, 'v1'],
      ['v1', 'v2'],
    ]);
    expect(page.map(({ entry, prior }) => [prior?.defaults, entry.defaults])).toEqual([
      [undefined, 1],
      [1, 2],
    ]);
  });

  it('has a state that one change leaves and the next finds once, in memory as in its count of bytes', async () => {
    const { source, clock } = setup(0);
    const key = { namespace: 'a', name: 'o' };
    const content = 'x'.repeat(100_000);
    for (const node of ['n1', 'n2', 'n3']) source.write(TYPE, 'put', key, bodyOf({ node, content }));
    const body = bodyOf({ node: 'n2', content });
    const [first, second, third] = source.history(TYPE);
    const parsed: string[] = [];
    const describe: typeof describeRow = (row) => {
      parsed.push(String(row.version));
      return describeRow(row);
    };
    // The state of another version is another one, though it has the same bytes; one that was copied is not known for the same.
    const changes = [
      first,
      { ...second, prior: first?.body, body },
      { ...third, prior: body, priorVersion: second?.version },
    ];
    Object.assign(source, { changes: async () => changes });
    const reader = new HistoryReader({ source, type: TYPE, describe, clock, maxBytes: 1 << 20 });
    const page = await reader.page(0n);
    expect(page[1]?.prior).toBe(page[0]?.entry);
    expect(page[2]?.prior).toBe(page[1]?.entry);
    for (const { entry, prior } of page) void [entry.attributes, prior?.attributes];
    expect(parsed).toEqual(['1', '2', '3']);
    expect(Math.floor(reader.bytes / 100_000)).toBe(3);
    const elsewhere = changes.map((change) => ({ ...change, priorVersion: 77n }));
    Object.assign(source, { changes: async () => elsewhere });
    reader.clear();
    expect((await reader.page(0n))[1]?.prior?.version).toBe(77n);
  });

  it('reads the states before changes for those alone who look at them', async () => {
    const { source, reader } = setup(300);
    const asked: unknown[] = [];
    const whole = source.changes.bind(source);
    const bare = async (type: number, after: Version, changes: number, prior?: PriorDetail) => {
      asked.push([after, prior]);
      const page = await whole(type, after, changes);
      return prior === 'body' ? page : page.map(({ prior: _body, ...change }) => change);
    };
    Object.assign(source, { changes: bare });
    const unread = (await reader.page(200n, 'version'))[0]?.prior;
    expect([unread?.name, unread?.version]).toEqual(['o0', 101n]);
    expect(() => unread?.attributes).toThrow(UnreadStateError);
    expect((await reader.page(99n, 'version'))[0]?.prior).toBeUndefined();
    await reader.page(250n, 'version');
    expect(asked.splice(0)).toEqual([
      [200n, 'version'],
      [99n, 'version'],
    ]);
    // A page with them serves those too who look at none; one without serves nobody who does.
    expect((await reader.page(200n, 'body'))[0]?.prior?.attributes).toMatchObject({ labels: {} });
    reader.clear();
    const asks = [reader.page(150n, 'version'), reader.page(151n), reader.page(152n, 'version'), reader.page(153n)];
    const [, second, , fourth] = await Promise.all(asks);
    for (const page of [second, fourth]) expect(page?.[0]?.prior?.attributes).toMatchObject({ labels: {} });
    await reader.page(160n, 'version');
    expect(asked).toEqual([
      [200n, 'body'],
      [150n, 'version'],
      [151n, 'body'],
    ]);
  });

  it('reads only so much at a time, and keeps only so much', async () => {
    const { reader, rest, wanted } = setup(400, { maxBytes: 8 << 20, content: 'x'.repeat(64 << 10) });
    let most = 0;
    const watching = rest(0n);
    const late = rest(100n);
    for await (const _ of [watching, late]) most = Math.max(most, reader.bytes);
    expect(await watching).toEqual(wanted(0n));
    expect(most).toBeLessThanOrEqual(8 << 20);
    // Pages get smaller once it is seen how large changes are.
    expect((await reader.page(380n)).length).toBeLessThan(40);
  });

  it('serves who waits for a high version though others ask for low ones again and again', async () => {
    const { source, reader } = setup(400, { content: 'x'.repeat(1_000), maxBytes: 64 << 10 });
    const whole = source.changes.bind(source);
    // Pages are bounded in bytes, and the reader keeps fewer of them than there are slow readers at places of their own.
    Object.assign(source, {
      changes: async (type: number, after: Version, changes: number) => (await whole(type, after, changes)).slice(0, 8),
    });
    let [over, served] = [false, 0];
    const slow = async (start: number) => {
      for (let step = 0; !over && served < 5_000; step++, served++) await reader.page(BigInt(start + (step % 20)));
    };
    const crowd = Array.from({ length: 12 }, (_, number) => slow(number * 30));
    expect(await reader.page(395n)).toHaveLength(5);
    over = true;
    expect(served).toBeLessThan(200);
    await Promise.all(crowd);
  });

  it('forgets what nobody asks for', async () => {
    const { source, clock, reader } = setup(100);
    await reader.page(0n);
    await clock.advance(6_000);
    await reader.page(10n);
    await clock.advance(6_000);
    expect(source.calls.changes).toBe(1);
    expect(reader.bytes).toBeGreaterThan(0);
    await clock.advance(10_000);
    expect(reader.bytes).toBe(0);
    await reader.page(10n);
    expect(source.calls.changes).toBe(2);
  });

  it('tells those below the floor, and only those, that it is too late', async () => {
    const { source, reader } = setup(200);
    source.compact(TYPE, 100n);
    const results = await Promise.allSettled([50n, 99n, 100n, 150n].map((version) => reader.page(version)));
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'fulfilled']);
    for (const result of results.slice(0, 2)) {
      expect(result).toMatchObject({ reason: expect.any(HistoryExpiredError) });
    }
  });

  it('tells all who wait when the database fails, and goes on with those who come later', async () => {
    const { source, reader } = setup(200);
    source.down = true;
    const results = await Promise.allSettled([50n, 99n].map((version) => reader.page(version)));
    for (const result of results) expect(result).toMatchObject({ reason: expect.any(StoreUnavailableError) });
    source.down = false;
    expect(await reader.page(50n)).toHaveLength(150);
  });

  it.each([
    ['cannot be converted', new Error('it makes no sense')],
    ['is of a lost history', 'lost' as const],
  ])('tells only those whose change %s', async (_, failure) => {
    const { source, reader } = setup(200);
    if (failure === 'lost') source.lost.add(50n);
    else {
      const whole = source.changes.bind(source);
      Object.assign(source, {
        changes: (type: number, after: Version, changes: number) =>
          after === 50n ? Promise.reject(failure) : whole(type, after, changes),
      });
    }
    const first = reader.page(50n);
    const others = [99n, 20n, 50n].map((version) => reader.page(version));
    const results = await Promise.allSettled([first, ...others]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled', 'rejected']);
  });

  it('keeps nothing that was read before it was cleared', async () => {
    const { source, reader } = setup(200);
    const reading = reader.page(0n);
    reader.clear();
    await reading;
    expect(reader.bytes).toBe(0);
    await reader.page(0n);
    expect(source.calls.changes).toBe(2);
  });
});
