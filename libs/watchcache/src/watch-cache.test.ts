import { inProcessBus, OrderedFeed } from '@orch/feed';
import { MemorySource } from '@orch/feed/testing';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { CacheNotReadyError } from './errors.js';
import { bodyOf, describeRow, TestSink, testEncoder } from './testing/fixtures.js';
import { WatchCache, type WatchCacheOptions } from './watch-cache.js';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function setUp(options: Partial<WatchCacheOptions> = {}) {
  const clock = new ManualClock();
  const source = new MemorySource();
  const feed = new OrderedFeed({ source, bus: inProcessBus(), clock });
  const cache = new WatchCache({ source, feed, clock, ...options });
  stops.push(() => {
    cache.close();
    feed.close();
  });
  return { clock, source, cache, description: { describe: describeRow } };
}

describe('WatchCache', () => {
  it('loads a type once, when it is first asked for', async () => {
    const { cache, clock, source, description } = setUp();
    expect(cache.peek(1)).toBeUndefined();
    const first = cache.type(1, description);
    expect(cache.type(1, description)).toBe(first);
    await clock.settle();
    expect(first.ready()).toBe(true);
    expect(source.calls.snapshot).toBe(1);
  });

  it('unloads what nobody has used for a while, but nothing that is watched', async () => {
    const { cache, clock, description } = setUp({ idle: 60_000 });
    const idle = cache.type(1, description);
    const watched = cache.type(2, description);
    await clock.settle();
    const sink = new TestSink();
    await watched.watch({ encoder: testEncoder, from: { at: 'any' }, initialEvents: 'none', bookmarks: false, sink });
    await clock.advance(80_000);
    expect([...cache.types()]).toEqual([watched]);
    expect(() => idle.list({})).toThrow(CacheNotReadyError);
    expect(sink.ended).toBe(false);
  });

  it('unloads the least recently used when there is too much', async () => {
    const { cache, clock, source, description } = setUp({ maxBytes: 6_000 });
    for (const type of [1, 2, 3]) {
      source.write(type, 'put', { namespace: 'a', name: 'b' }, bodyOf({ content: 'x'.repeat(2_000) }));
      cache.type(type, description);
    }
    await clock.advance(1_000);
    cache.type(1, description).list({});
    await clock.advance(1_000);
    cache.type(3, description).list({});
    await clock.advance(10_000);
    expect([...cache.types()].map(({ type }) => type)).toEqual([1, 3]);
  });

  it('hands streams what was committed before it unloads a type, and ends them', async () => {
    const { cache, clock, source, description } = setUp();
    const name = { namespace: 'a', name: 'b' };
    source.write(1, 'put', name, bodyOf({ content: 'x' }));
    const gone = cache.type(1, description);
    await clock.settle();
    const sink = new TestSink();
    await gone.watch({ encoder: testEncoder, from: { at: 'any' }, initialEvents: 'none', bookmarks: false, sink });
    // Nobody is told of it.
    source.write(1, 'delete', name);
    cache.unload(1);
    expect(cache.peek(1)).toBeUndefined();
    expect(cache.watchers).toBe(1);
    await clock.advance(1_000);
    expect(sink.events.map(({ type }) => type)).toEqual(['DELETED']);
    expect([sink.ended, cache.watchers]).toEqual([true, 0]);
  });

  it('ends them without, when the database says nothing', async () => {
    const { cache, clock, source, description } = setUp();
    const gone = cache.type(1, description);
    await clock.settle();
    const sink = new TestSink();
    await gone.watch({ encoder: testEncoder, from: { at: 'any' }, initialEvents: 'none', bookmarks: false, sink });
    source.heads = () => new Promise(() => undefined);
    cache.unload(1);
    await clock.advance(2_000);
    expect(sink.ended).toBe(false);
    await clock.advance(2_000);
    expect([sink.ended, cache.watchers]).toEqual([true, 0]);
  });

  it('leaves nothing running when closed', async () => {
    const { cache, clock, description } = setUp();
    cache.type(1, description);
    await clock.settle();
    for (const stop of stops.splice(0)) stop();
    await clock.advance(20_000);
    expect(clock.pending).toBe(0);
  });

  it('compares every state with the database from time to time, and not at all when told so', async () => {
    const checks = async (checkInterval: number) => {
      const { cache, clock, description } = setUp({ checkInterval, random: () => 0 });
      const types = [cache.type(1, description), cache.type(2, description)];
      await clock.settle();
      await clock.advance(3_500);
      return types.map((type) => type.stats().checks);
    };
    expect(await checks(1_000)).toEqual([4, 4]);
    expect(await checks(0)).toEqual([0, 0]);
  });
});
