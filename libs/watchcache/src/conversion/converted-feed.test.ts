import { type FeedSink, inProcessBus, OrderedFeed } from '@orch/feed';
import { MemorySource } from '@orch/feed/testing';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeRow, TestSink, testEncoder } from '../testing/fixtures.js';
import { WatchCache } from '../watch-cache.js';
import type { BodyConversion, StoredBody } from './body-conversion.js';
import { ConvertedFeed } from './converted-feed.js';

const TYPE = 1;

/** Puts a mark on bodies when it is told to, or fails. */
class SlowConversion implements BodyConversion {
  readonly key = 'v2';
  readonly version = 'v2';
  readonly defaults = 4;
  readonly calls: number[] = [];
  #asked: {
    bodies: readonly StoredBody[];
    resolve: (bodies: (Buffer | Error)[]) => void;
    reject: (error: Error) => void;
  }[] = [];

  convert(_type: number, bodies: readonly StoredBody[]): Promise<readonly (Buffer | Error)[]> {
    this.calls.push(bodies.length);
    return new Promise((resolve, reject) => this.#asked.push({ bodies, resolve, reject }));
  }

  get waiting(): number {
    return this.#asked.length;
  }

  answer(): void {
    for (const { bodies, resolve } of this.#asked.splice(0)) resolve(bodies.map(({ body }) => marked(body)));
  }

  fail(): void {
    for (const { reject } of this.#asked.splice(0)) reject(new Error('down'));
  }
}

const marked = (body: Buffer): Buffer => Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), content: 'v2' }));

let clock: ManualClock;
let source: MemorySource;
let feed: OrderedFeed;
let cache: WatchCache;
let conversion: SlowConversion;
let errors: unknown[];
const bus = inProcessBus();

beforeEach(() => {
  clock = new ManualClock();
  source = new MemorySource();
  errors = [];
  feed = new OrderedFeed({ source, bus, clock });
  cache = new WatchCache({ source, feed, clock, checkInterval: 0, onError: (error) => errors.push(error) });
  conversion = new SlowConversion();
});
afterEach(() => {
  cache.close();
  feed.close();
});

const plain = { describe: describeRow };
const slow = () => ({ describe: describeRow, conversion });

function write(name: string, published = true): void {
  const change = source.write(TYPE, 'put', { namespace: 'a', name });
  if (change && published) bus.publish([change]);
}

async function watch(description: typeof plain, from: bigint) {
  const sink = new TestSink();
  const started = cache.type(TYPE, description).watch({
    encoder: testEncoder,
    from: { after: from },
    initialEvents: 'none',
    bookmarks: false,
    sink,
  });
  started.catch(() => {});
  return { sink, started };
}

/** Lets everything happen that needs no time. */
const settle = () => clock.settle();

describe('a served version that takes time to convert to', () => {
  it('comes in order and whole, and nobody else waits for it', async () => {
    write('one');
    const quick = await watch(plain, 0n);
    const late = await watch(slow(), 0n);
    await settle();
    conversion.answer();
    await settle();
    conversion.answer();
    await settle();
    await Promise.all([quick.started, late.started]);
    write('two');
    await settle();
    expect(conversion.waiting).toBe(1);
    write('three');
    write('four');
    await settle();
    expect(quick.sink.summary).toEqual(['ADDED a/one@1', 'ADDED a/two@2', 'ADDED a/three@3', 'ADDED a/four@4']);
    const before = late.sink.summary.length;
    conversion.answer();
    await settle();
    conversion.answer();
    await clock.advance(20);
    expect(late.sink.summary.slice(before)).toEqual(['ADDED a/two@2', 'ADDED a/three@3', 'ADDED a/four@4']);
    expect(late.sink.events.every(({ body }) => body?.includes('v2'))).toBe(true);
    // What came while one call was under way went with the next.
    expect(conversion.calls.slice(-2)).toEqual([1, 2]);
  });

  it('waits for a converter that is down and goes on without loss', async () => {
    const late = await watch(slow(), 0n);
    await settle();
    await late.started;
    write('one');
    await settle();
    conversion.fail();
    await settle();
    write('two');
    await clock.advance(50);
    conversion.fail();
    await settle();
    await clock.advance(100);
    conversion.answer();
    await clock.advance(20);
    expect(late.sink.summary).toEqual(['ADDED a/one@1', 'ADDED a/two@2']);
    expect(errors).toHaveLength(2);
  });

  it('confirms no version before what led to it has been converted', async () => {
    const late = cache.type(TYPE, slow());
    await late.waitReady();
    write('one', false);
    let confirmed: bigint | undefined;
    void late.confirm().then((version) => (confirmed = version));
    await clock.advance(100);
    expect(conversion.waiting).toBe(1);
    expect([confirmed, late.version]).toEqual([undefined, 0n]);
    conversion.answer();
    await settle();
    expect([confirmed, late.version]).toEqual([1n, 1n]);
  });

  it('has no bookmark overtake what is still to be converted', async () => {
    const sink = new TestSink();
    const started = cache.type(TYPE, slow()).watch({
      encoder: testEncoder,
      from: { after: 0n },
      initialEvents: 'none',
      bookmarks: true,
      sink,
    });
    await settle();
    await started;
    write('one');
    // Longer than bookmarks are apart.
    await clock.advance(150_000);
    expect(conversion.waiting).toBe(1);
    expect(sink.summary.filter((each) => each !== 'BOOKMARK@0')).toEqual([]);
    conversion.answer();
    await clock.advance(150_000);
    const [first, ...rest] = sink.summary.filter((each) => each !== 'BOOKMARK@0');
    expect(first).toBe('ADDED a/one@1');
    expect(new Set(rest)).toEqual(new Set(['BOOKMARK@1']));
  });

  it('that was retired goes when nobody watches, and is asked for nothing more', async () => {
    const sink = await watch(slow(), 0n);
    await settle();
    const watcher = await sink.started;
    cache.retire(TYPE, slow());
    await clock.advance(20_000);
    expect([...cache.types()]).toHaveLength(1);
    watcher.close();
    await clock.advance(20_000);
    expect([...cache.types()]).toEqual([]);
    write('one');
    await settle();
    expect(conversion.waiting).toBe(0);
  });

  it('is kept apart from the stored one, and unloaded with it', async () => {
    expect(cache.type(TYPE, slow())).toBe(cache.type(TYPE, slow()));
    expect(cache.type(TYPE, slow())).not.toBe(cache.type(TYPE, plain));
    expect(cache.peek(TYPE)).toBe(cache.type(TYPE, plain));
    expect(cache.peek(TYPE, slow())).toBe(cache.type(TYPE, slow()));
    cache.unload(TYPE);
    expect([...cache.types()]).toEqual([]);
  });

  it('remembers the newest of the heads that are confirmed while its converter is down, and no others', async () => {
    let inner: FeedSink | undefined;
    const fed: Pick<OrderedFeed, 'follow'> = {
      follow: (_type, delivered, sink) => {
        inner = sink;
        return { delivered, confirmedAt: undefined, confirm: async () => delivered, close: () => undefined };
      },
    };
    const heard: (bigint | string)[] = [];
    const following = new ConvertedFeed({ feed: fed, conversion, clock }).follow(TYPE, 0n, {
      changes: (changes) => heard.push(...changes.map(({ name }) => name)),
      confirmed: (head) => heard.push(head),
      reset: () => undefined,
    });
    const change = (name: string) => source.write(TYPE, 'put', { namespace: 'a', name }) ?? expect.unreachable();
    inner?.changes([change('one')]);
    for (let head = 1n; head <= 10_000n; head++) inner?.confirmed(head, Number(head));
    conversion.fail();
    inner?.changes([change('two')]);
    for (let head = 10_001n; head <= 20_000n; head++) inner?.confirmed(head, Number(head));
    await clock.advance(50);
    conversion.answer();
    await settle();
    expect(heard).toEqual(['one', 10_000n, 'two', 20_000n]);
    expect(following.confirmedAt).toBe(20_000);
  });

  it('counts what small changes take beside their bodies', async () => {
    let inner: FeedSink | undefined;
    const fed: Pick<OrderedFeed, 'follow'> = {
      follow: (_type, delivered, sink) => {
        inner = sink;
        return { delivered, confirmedAt: undefined, confirm: async () => delivered, close: () => undefined };
      },
    };
    const resets: string[] = [];
    new ConvertedFeed({ feed: fed, conversion, clock, maxWaitingBytes: 60_000 }).follow(TYPE, 0n, {
      changes: () => undefined,
      confirmed: () => undefined,
      reset: (reason) => resets.push(reason),
    });
    for (let number = 0; number < 100; number++) {
      expect(resets).toEqual([]);
      inner?.changes([source.write(TYPE, 'put', { namespace: 'a', name: `o${number}` }) ?? expect.unreachable()]);
    }
    expect(resets).toEqual(['expired']);
  });

  it('starts over from a snapshot when more waits than is worth remembering', async () => {
    const big = 'x'.repeat(20 << 20);
    const late = cache.type(TYPE, slow());
    await late.waitReady();
    for (const name of ['one', 'two']) {
      const change = source.write(
        TYPE,
        'put',
        { namespace: 'a', name },
        Buffer.from(JSON.stringify({ labels: { big } })),
      );
      if (change) bus.publish([change]);
    }
    await settle();
    conversion.answer();
    await settle();
    conversion.answer();
    await settle();
    await late.waitReady();
    expect([late.version, late.stats().snapshots]).toEqual([2n, 2]);
  });
});
