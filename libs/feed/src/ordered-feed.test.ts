import { ManualClock } from '@orch/runtime/testing';
import type { Change, HistoricChange, Version } from '@orch/storage';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AnnouncedChange, ChangeBus, FeedSink } from './feed.js';
import { inProcessBus } from './in-process-bus.js';
import { OrderedFeed, type OrderedFeedOptions } from './ordered-feed.js';
import { MemorySource } from './testing/memory-source.js';

const TYPE = 7;

class RecordingSink implements FeedSink {
  readonly versions: Version[] = [];
  readonly confirmations: Version[] = [];
  readonly resets: string[] = [];
  changes(changes: readonly Change[]): void {
    for (const { version } of changes) this.versions.push(version);
  }
  confirmed(head: Version): void {
    this.confirmations.push(head);
  }
  reset(reason: 'expired' | 'rewound'): void {
    this.resets.push(reason);
  }
}

function setUp(options: Partial<OrderedFeedOptions> = {}) {
  const clock = new ManualClock();
  const source = new MemorySource();
  const bus: ChangeBus = inProcessBus();
  const healed: number[] = [];
  const feed = new OrderedFeed({
    source,
    bus,
    clock,
    observer: { healed: (_, changes) => healed.push(changes) },
    ...options,
  });
  feeds.push(feed);
  const sink = new RecordingSink();
  const write = (name: string): HistoricChange => {
    const change = source.write(TYPE, 'put', { namespace: 'a', name });
    if (change === undefined) throw new Error('nothing was written');
    return change;
  };
  return { clock, source, bus, feed, sink, write, healed };
}

const feeds: OrderedFeed[] = [];
afterEach(() => {
  for (const feed of feeds.splice(0)) feed.close();
});

describe('OrderedFeed', () => {
  it('hands announcements on in the call that brings them', async () => {
    const { bus, clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    bus.publish([write('x'), write('y')]);
    expect(sink.versions).toEqual([1n, 2n]);
    expect(source.calls.changes).toBe(0);
  });

  it('waits for a predecessor that is a little late, and asks nobody', async () => {
    const { bus, clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    const [first, second, third] = [write('x'), write('y'), write('z')];
    bus.publish([third]);
    bus.publish([second]);
    expect(sink.versions).toEqual([]);
    bus.publish([first]);
    expect(sink.versions).toEqual([1n, 2n, 3n]);
    await clock.advance(50);
    expect(source.calls.changes).toBe(0);
  });

  it('reads a lost change from the database after a few milliseconds', async () => {
    const { bus, clock, feed, sink, source, write, healed } = setUp();
    const reads = vi.spyOn(source, 'changes');
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    write('lost');
    bus.publish([write('y')]);
    await clock.advance(4);
    expect(sink.versions).toEqual([]);
    await clock.advance(2);
    expect(sink.versions).toEqual([1n, 2n]);
    expect(healed).toEqual([1]);
    // Whoever follows has the states before.
    expect(reads.mock.calls).toEqual([[TYPE, 0n, expect.any(Number), 'version']]);
  });

  it('takes what is delivered while a head is read for what it is, not for another history', async () => {
    const { bus, clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    const heads = source.heads.bind(source);
    let answer = (): void => undefined;
    source.heads = async (types) => {
      const read = await heads(types);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return read;
    };
    await clock.advance(1_000);
    bus.publish([write('x'), write('y')]);
    source.heads = heads;
    answer();
    await clock.settle();
    expect([sink.versions, sink.resets]).toEqual([[1n, 2n], []]);
    // The head was that of before both.
    expect(sink.confirmations).toEqual([0n, 0n]);
    await clock.advance(1_000);
    expect(sink.confirmations).toEqual([0n, 0n, 2n]);
  });

  it('confirms a head that a delivery goes past', async () => {
    const { bus, clock, feed, sink, source, write } = setUp({ reorderWait: 60_000 });
    const following = feed.follow(TYPE, 0n, sink);
    await clock.settle();
    const first = write('x');
    const confirmed: Version[] = [];
    void following.confirm().then((version) => confirmed.push(version));
    await clock.settle();
    expect(source.head(TYPE)).toBe(1n);
    bus.publish([first, write('y'), write('z')]);
    await clock.settle();
    expect([sink.versions, sink.confirmations, confirmed]).toEqual([[1n, 2n, 3n], [0n, 1n], [1n]]);
    expect(feed.lag()).toBe(0);
  });

  it('confirms a head that was passed while it was read, without waiting for another delivery', async () => {
    const { bus, clock, feed, sink, source, write } = setUp();
    const following = feed.follow(TYPE, 0n, sink);
    await clock.settle();
    const first = write('x');
    const heads = source.heads.bind(source);
    let answer = (): void => undefined;
    source.heads = async (types) => {
      const read = await heads(types);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return read;
    };
    const confirmed = following.confirm();
    await clock.settle();
    bus.publish([first, write('y')]);
    answer();
    expect(await confirmed).toBe(1n);
  });

  it('asks a database that does not answer once, however long that takes', async () => {
    const callers: number[] = [];
    const { clock, feed, sink, source } = setUp({ observer: { headsRead: (_, count) => callers.push(count) } });
    const heads = source.heads.bind(source);
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    let answer = (): void => undefined;
    source.heads = async (types) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return heads(types);
    };
    await clock.advance(20_000);
    expect(callers).toEqual([1, 1]);
    source.heads = heads;
    answer();
    await clock.advance(1_000);
    expect(callers).toEqual([1, 1, 1]);
    expect(sink.confirmations).toHaveLength(3);
  });

  it('drops repeats', async () => {
    const { bus, feed, sink, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    const first = write('x');
    bus.publish([first]);
    bus.publish([first]);
    bus.publish([first, write('y')]);
    expect(sink.versions).toEqual([1n, 2n]);
  });

  it('finds what a silent bus kept, with one query a second for all types', async () => {
    const { clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    feed.follow(TYPE + 1, 0n, new RecordingSink());
    await clock.settle();
    expect(source.calls.heads).toBe(1);
    write('x');
    await clock.advance(1010);
    expect(sink.versions).toEqual([1n]);
    expect(source.calls.heads).toBe(2);
    expect(sink.confirmations).toEqual([0n, 1n]);
  });

  it('looks at the database at once when the bus is back', async () => {
    let connected = (): void => {};
    const onConnected = (listener: () => void): (() => void) => {
      connected = listener;
      return () => {};
    };
    const bus: ChangeBus = { ...inProcessBus(), onConnected };
    const { clock, feed, sink, write } = setUp({ bus });
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    write('x');
    connected();
    await clock.advance(10);
    expect(sink.versions).toEqual([1n]);
  });

  it('reads a change whose body did not fit', async () => {
    const fetched: number[] = [];
    const { bus, clock, feed, healed, sink, write } = setUp({
      observer: { healed: (_, changes) => healed.push(changes), fetched: (_, changes) => fetched.push(changes) },
    });
    const bodies: string[] = [];
    sink.changes = (changes) => bodies.push(...changes.map(({ body }) => body.toString()));
    feed.follow(TYPE, 0n, sink);
    const large: AnnouncedChange = { ...write('x'), body: Buffer.alloc(0), bodyOmitted: true };
    bus.publish([large]);
    bus.publish([write('y')]);
    await clock.advance(1);
    expect(bodies).toEqual(['{}', '{}']);
    // Nothing was lost: both were announced.
    expect([fetched, healed]).toEqual([[1], []]);
  });

  it('has room for what comes while it reads, as soon as what waited before has been read', async () => {
    const { bus, clock, feed, sink, source, write } = setUp({ pageSize: 3 });
    const reads: (() => void)[] = [];
    const whole = source.changes.bind(source);
    source.changes = async (...args) => {
      const page = await whole(...args);
      await new Promise<void>((resolve) => reads.push(resolve));
      return page;
    };
    const large = () => ({ ...write('x'), body: Buffer.alloc(2 << 20) });
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    write('lost');
    bus.publish([large(), large(), write('z')]);
    await clock.advance(6);
    reads.shift()?.();
    await clock.settle();
    expect(sink.versions).toEqual([1n, 2n, 3n]);
    // The fourth is being read; the fifth and sixth find room, for the second and third have left it.
    bus.publish([large(), large()]);
    source.changes = () => expect.unreachable();
    reads.shift()?.();
    await clock.settle();
    expect(sink.versions).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
  });

  it('confirms only a head that was read after the call, once it is delivered, sharing the query', async () => {
    const { bus, clock, feed, sink, source, write } = setUp();
    const following = feed.follow(TYPE, 0n, sink);
    await clock.settle();
    const before = source.calls.heads;
    const late = write('x');
    const results: Version[] = [];
    for (let caller = 0; caller < 10; caller++) void following.confirm().then((version) => results.push(version));
    await clock.settle();
    expect(source.calls.heads - before).toBe(1);
    expect(results).toEqual([]);
    bus.publish([late]);
    await clock.settle();
    expect(results).toEqual(new Array(10).fill(1n));
  });

  it('tells who waits for changes that cannot be read why, after a second, and goes on when they can be', async () => {
    const { clock, feed, sink, source, write } = setUp();
    const following = feed.follow(TYPE, 0n, sink);
    await clock.settle();
    write('x');
    source.unreadable = new Error('no key');
    let reported: Error | undefined;
    void following.confirm().catch((error: Error) => {
      reported = error;
    });
    await clock.advance(900);
    expect(reported).toBeUndefined();
    await clock.advance(2_000);
    expect(reported).toBe(source.unreadable);
    await expect(following.confirm()).rejects.toThrow('no key');
    source.unreadable = undefined;
    await clock.advance(30_000);
    expect(await following.confirm()).toBe(1n);
    expect(sink.versions).toEqual([1n]);
  });

  it('says expired when history no longer reaches back', async () => {
    const { clock, feed, sink, source, write } = setUp();
    const following = feed.follow(TYPE, 0n, sink);
    await clock.settle();
    write('x');
    source.compact(TYPE, write('y').version);
    const confirmation = expect(following.confirm()).rejects.toThrow('ended');
    await clock.advance(1100);
    expect(sink.resets).toEqual(['expired']);
    await confirmation;
  });

  it('says rewound when the head is behind what was delivered', async () => {
    const { bus, clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    bus.publish([write('x'), write('y')]);
    source.rewind(TYPE, 1n, false);
    await clock.advance(1100);
    expect(sink.resets).toEqual(['rewound']);
  });

  it('says rewound when the chain of another history passes by', async () => {
    const { bus, clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    bus.publish([write('x'), write('y')]);
    source.rewind(TYPE, 1n, false);
    bus.publish([write('other')]);
    await clock.advance(10);
    expect(sink.versions).toEqual([1n, 2n]);
    expect(sink.resets).toEqual(['rewound']);
  });

  it('tells the store what was announced before it hands it on', async () => {
    const { bus, clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    let reported: Version | undefined;
    sink.changes = () => {
      reported = source.announced.get(TYPE);
    };
    bus.publish([write('x'), write('y')]);
    expect(reported).toBe(2n);
  });

  it('says rewound when the store does', async () => {
    const { clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    write('x');
    source.rewind(TYPE, 0n, true);
    expect(sink.resets).toEqual(['rewound']);
  });

  it('forgets an announcement that the database does not know', async () => {
    const { bus, clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    bus.publish([{ ...write('x'), version: 90n, previous: 80n }]);
    await clock.advance(20);
    expect(sink.versions).toEqual([1n]);
    const calls = source.calls.changes;
    await clock.advance(500);
    expect(source.calls.changes).toBe(calls);
    bus.publish([write('y')]);
    expect(sink.versions).toEqual([1n, 2n]);
    expect(sink.resets).toEqual([]);
  });

  it('goes on when the database is back, and lags meanwhile', async () => {
    const { clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    source.down = true;
    write('x');
    await clock.advance(6000);
    expect(feed.lag()).toBeGreaterThanOrEqual(6000);
    expect(sink.versions).toEqual([]);
    source.down = false;
    await clock.advance(3000);
    expect(sink.versions).toEqual([1n]);
    expect(feed.lag()).toBeLessThanOrEqual(1010);
  });

  it('lags while the head moves on and the changes cannot be had, though heads are read', async () => {
    const { clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    const read = source.changes.bind(source);
    source.changes = () => Promise.reject(new Error('a page that cannot be read'));
    for (let second = 0; second < 6; second++) {
      write('x');
      await clock.advance(1000);
    }
    expect(sink.versions).toEqual([]);
    expect(feed.lag()).toBeGreaterThan(5000);
    source.changes = read;
    await clock.advance(4000);
    expect(sink.versions).toHaveLength(6);
    expect(feed.lag()).toBeLessThanOrEqual(1010);
  });

  it('is behind as a whole only where half of what is followed is', async () => {
    const { clock, feed, sink, source, write } = setUp();
    feed.follow(TYPE, 0n, sink);
    for (const type of [TYPE + 1, TYPE + 2]) feed.follow(type, 0n, new RecordingSink());
    await clock.settle();
    source.changes = () => Promise.reject(new Error('a page that cannot be read'));
    write('x');
    await clock.advance(6000);
    expect(feed.lag()).toBeGreaterThan(5000);
    expect(feed.medianLag()).toBeLessThanOrEqual(1010);
    source.down = true;
    await clock.advance(6000);
    expect(feed.medianLag()).toBeGreaterThan(5000);
  });

  it('lags by the types of the main database alone', async () => {
    const { clock, feed, sink, source } = setUp();
    source.database = (type?: number) => (type === TYPE ? 0 : 1);
    const heads = source.heads.bind(source);
    source.heads = (types) => (types.includes(TYPE) ? heads(types) : new Promise(() => undefined));
    feed.follow(TYPE, 0n, sink);
    feed.follow(TYPE + 1, 0n, new RecordingSink());
    await clock.advance(30_000);
    expect(feed.lag()).toBeLessThanOrEqual(1_010);
    source.heads = () => new Promise(() => undefined);
    await clock.advance(30_000);
    expect(feed.lag()).toBeGreaterThan(28_000);
  });

  it('lags from its beginning when nothing was ever confirmed', async () => {
    const { clock, feed, sink, source } = setUp();
    source.down = true;
    feed.follow(TYPE, 0n, sink);
    await clock.advance(6000);
    expect(feed.lag()).toBeGreaterThanOrEqual(6000);
  });

  it('starts a consumer over that fails, and spares the others', async () => {
    const { bus, feed, sink, write } = setUp();
    const failing = new RecordingSink();
    failing.changes = () => {
      throw new Error('defect');
    };
    feed.follow(TYPE, 0n, failing);
    feed.follow(TYPE, 0n, sink);
    bus.publish([write('x')]);
    expect(failing.resets).toEqual(['expired']);
    expect(sink.versions).toEqual([1n]);
  });

  it('leaves nothing running when closed', async () => {
    const { clock, feed, sink, write, bus } = setUp();
    feed.follow(TYPE, 0n, sink);
    await clock.settle();
    feed.close();
    bus.publish([write('x')]);
    await clock.advance(2000);
    expect(sink.versions).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

type Delivery = 'on time' | 'late' | 'lost' | 'twice';
type Action =
  | { do: 'write'; delivery: Delivery }
  | { do: 'pass'; ms: number }
  | { do: 'skip' }
  | { do: 'down'; ms: number };

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      delivery: fc.constantFrom<Delivery[]>('on time', 'late', 'lost', 'twice'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('skip' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('down' as const), ms: fc.nat(1500) }) },
);

/** Versions delivered over a bus that treats each announcement as told, and those that were committed. */
async function deliver(actions: readonly Action[], options: Partial<OrderedFeedOptions>) {
  const { bus, clock, feed, sink, source, write } = setUp({ pageSize: 3, ...options });
  feed.follow(TYPE, 0n, sink);
  const late: Change[] = [];
  for (const each of actions) {
    if (each.do === 'pass') {
      await clock.advance(each.ms);
      bus.publish(late.splice(0).reverse());
    } else if (each.do === 'down') {
      source.down = true;
      await clock.advance(each.ms);
      source.down = false;
    } else if (each.do === 'skip') {
      source.skip(3n);
    } else {
      const change = write(`n${source.history(TYPE).length % 5}`);
      if (each.delivery === 'late') late.push(change);
      if (each.delivery === 'on time' || each.delivery === 'twice') bus.publish([change]);
      if (each.delivery === 'twice') late.push(change);
    }
  }
  await clock.advance(5000);
  return {
    delivered: sink.versions,
    committed: source.history(TYPE).map(({ version }) => version),
    resets: sink.resets,
  };
}

describe('delivery over a bus that loses, repeats, delays and reorders', () => {
  it('is exactly what was committed, in order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
        const { delivered, committed, resets } = await deliver(actions, {});
        expect(delivered).toEqual(committed);
        expect(resets).toEqual([]);
      }),
      { seed: 4, numRuns: 150 },
    );
  });

  it('shows the defect when the database is not asked', async () => {
    const actions: Action[] = [
      { do: 'pass', ms: 1 },
      { do: 'write', delivery: 'lost' },
      { do: 'pass', ms: 20 },
    ];
    const { delivered, committed } = await deliver(actions, { pollInterval: 3_600_000 });
    expect(delivered).not.toEqual(committed);
  });
});
