import { afterEach, describe, expect, it, vi } from 'vitest';
import { selecting, TestSink, testEncoder } from '../testing/fixtures.js';
import { Rig, type RigOptions } from '../testing/rig.js';
import type { FrameEncoder } from './frames.js';

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

async function start(options: RigOptions = {}, prepare?: (rig: Rig) => void): Promise<Rig> {
  const rig = new Rig(options, prepare);
  rigs.push(rig);
  await rig.clock.settle();
  return rig;
}

/** The test encoder, counting what it encodes. */
function countingEncoder(): FrameEncoder & { count: number } {
  const counting = {
    ...testEncoder,
    count: 0,
    event: (...args: Parameters<FrameEncoder['event']>) => {
      counting.count++;
      return testEncoder.event(...args);
    },
  };
  return counting;
}

describe('sharing', () => {
  it('encodes an event once for all watchers and writes a turn of events as one buffer', async () => {
    const rig = await start();
    const encoder = countingEncoder();
    const watches = [];
    for (let number = 0; number < 10; number++) {
      watches.push(await rig.watch({ encoder, ...(number < 5 ? {} : { namespace: 'a' }) }));
    }
    rig.write('a/one');
    rig.write('a/two');
    await rig.clock.settle();
    expect(encoder.count).toBe(2);
    for (const { sink } of watches) {
      expect(sink.pieces).toHaveLength(1);
      expect(sink.summary).toEqual(['ADDED a/one@1', 'ADDED a/two@2']);
    }
    expect(watches[0]?.sink.pieces[0]).toBe(watches[4]?.sink.pieces[0]);
    expect(rig.cache.stats()).toMatchObject({ watchers: 10, audiences: 2, behind: 0, deliveredEvents: 20 });
  });

  it('a herd costs one snapshot, encoded once', async () => {
    const rig = await start({}, (each) => {
      for (let number = 0; number < 300; number++) each.write(`a/${number}`, { content: 'x'.repeat(1000) });
    });
    const encoder = countingEncoder();
    const herd = await Promise.all(Array.from({ length: 20 }, () => rig.watch({ encoder })));
    expect(encoder.count).toBe(300);
    for (const { sink } of herd) {
      expect(sink.events).toHaveLength(300);
      for (const piece of sink.pieces) expect(piece.length).toBeLessThanOrEqual(128 << 10);
    }
    expect(rig.source.calls.snapshot).toBe(1);
  });

  it('an initial state is never older than what was asked for', async () => {
    const rig = await start({}, (each) => each.write('a/one'));
    await rig.watch();
    rig.busCut = true;
    rig.write('a/two');
    const second = rig.watch();
    await rig.clock.advance(10);
    expect((await second).sink.summary.slice(0, 2)).toEqual(['ADDED a/one@1', 'ADDED a/two@2']);
  });

  it('gathers for a large audience, but a lone event waits for nothing', async () => {
    const rig = await start({ watchersPerGatherMs: 1, maxGather: 5 });
    const watches = [];
    for (let number = 0; number < 10; number++) watches.push(await rig.watch());
    await rig.clock.advance(100);
    const sink = watches[0]?.sink;
    rig.write('a/one');
    await rig.clock.settle();
    expect(sink?.pieces).toHaveLength(1);
    rig.write('a/two');
    await rig.clock.advance(3);
    rig.write('a/three');
    expect(sink?.pieces).toHaveLength(1);
    await rig.clock.advance(2);
    expect(sink?.pieces).toHaveLength(2);
    expect(sink?.summary).toHaveLength(3);
  });
});

describe('a watcher that stalls', () => {
  it.each([
    [1, 64 << 10],
    [20, 512 << 10],
  ])('in a burst is given little that is not shared by many (%i watchers)', async (watchers, most) => {
    const rig = await start();
    const sinks: TestSink[] = [];
    for (let number = 0; number < watchers; number++) sinks.push((await rig.watch()).sink);
    for (const sink of sinks) sink.stalled = true;
    for (let number = 0; number < 1_000; number++) rig.write(`a/${number}`, { content: 'x'.repeat(1_000) });
    await rig.clock.settle();
    const given = sinks[0]?.pieces.reduce((sum, { length }) => sum + length, 0) ?? 0;
    expect(given).toBeGreaterThan(most / 4);
    expect(given).toBeLessThan(most);
    expect(new Set(sinks.map(({ pieces }) => pieces[0])).size).toBe(1);
    for (const sink of sinks) sink.release();
    await rig.clock.advance(100);
    for (const { events } of sinks) expect(events).toHaveLength(1_000);
  });

  it('is given no more, and catches up from the ring when it drains', async () => {
    const rig = await start();
    const { sink } = await rig.watch();
    const { sink: other } = await rig.watch();
    sink.stalled = true;
    for (let number = 0; number < 5; number++) {
      rig.write(`a/${number}`);
      await rig.clock.settle();
    }
    expect(sink.events).toHaveLength(1);
    expect(other.events).toHaveLength(5);
    sink.release();
    await rig.clock.settle();
    expect(sink.summary).toEqual(other.summary);
    rig.write('a/more');
    await rig.clock.settle();
    expect(sink.summary).toEqual(other.summary);
    expect(rig.cache.stats().stalls).toBe(1);
  });

  it('that takes one piece at a time is given one piece at a time', async () => {
    const rig = await start();
    const { sink } = await rig.watch();
    sink.stalled = true;
    for (let number = 0; number < 4; number++) {
      rig.write(`a/${number}`);
      await rig.clock.settle();
      rig.write(`b/${number}`);
      await rig.clock.settle();
      expect(sink.pieces).toHaveLength(number + 1);
      sink.sip();
      await rig.clock.settle();
      expect(sink.pieces).toHaveLength(number + 2);
    }
    expect(sink.overruns).toEqual([]);
    sink.release();
    await rig.clock.settle();
    expect(sink.events).toHaveLength(8);
  });

  it.each([
    ['from the ring', {}],
    ['from history', { ringMaxBytes: 3000 }],
  ])('while it catches up %s has little that is not shared', async (_, options: RigOptions) => {
    const rig = await start(options);
    for (let number = 0; number < 60; number++) {
      rig.write(`a/${number}`, { content: 'x'.repeat(number === 30 ? 40_000 : 1000) });
    }
    const sink = new TestSink();
    sink.stalled = true;
    await rig.watch({ sink, from: { after: 1n } });
    expect(sink.pieces).toHaveLength(1);
    for (let sips = 0; sips < 60; sips++) {
      sink.sip();
      await rig.clock.settle();
    }
    expect(sink.summary).toEqual(Array.from({ length: 59 }, (_, at) => `ADDED a/${at + 1}@${at + 2}`));
    expect(sink.pieces.filter(({ length }) => length > 16 << 10)).toHaveLength(1);
    expect(sink.overruns).toEqual([]);
  });

  it.each(['all', 'a'])(
    'and reads on goes on from the database where the ring has passed it (namespace: %s)',
    async (of) => {
      const rig = await start({ ringMaxBytes: 4000 });
      const { sink } = await rig.watch(of === 'all' ? {} : { namespace: of });
      const writeTo = async (from: number, to: number) => {
        for (let number = from; number < to; number++) {
          rig.write(`${number % 3 === 0 ? 'b' : 'a'}/${number}`);
          await rig.clock.settle();
        }
      };
      sink.stalled = true;
      await writeTo(0, 6);
      await rig.clock.advance(900);
      sink.sip();
      await writeTo(6, 50);
      // The ring has passed it by the time that somebody looks, but it has read a moment ago.
      await rig.clock.advance(500);
      expect(sink.ended).toBe(false);
      sink.release();
      await rig.clock.settle();
      const written = Array.from({ length: 50 }, (_, at) => `ADDED ${at % 3 === 0 ? 'b' : 'a'}/${at}@${at + 1}`);
      expect(sink.summary).toEqual(written.filter((event) => of === 'all' || event.startsWith('ADDED a')));
      expect(sink.overruns).toEqual([]);
      rig.write('a/last');
      await rig.clock.settle();
      expect(sink.summary.at(-1)).toBe('ADDED a/last@51');
      expect(rig.cache.stats()).toMatchObject({ watchers: 1, expired: 0 });
    },
  );

  it('is ended where history, too, has passed it when it reads on', async () => {
    const rig = await start({ ringMaxBytes: 4000 });
    const { sink } = await rig.watch();
    sink.stalled = true;
    for (let number = 0; number < 50; number++) {
      rig.write(`a/${number}`);
      await rig.clock.settle();
    }
    rig.source.compact(1, 20n);
    sink.release();
    await rig.clock.settle();
    expect(sink.summary).toEqual(['ADDED a/0@1', 'ERROR expired']);
  });

  it('is ended when the ring has passed it, though it never drains', async () => {
    const rig = await start({ ringMaxBytes: 4000 });
    const { sink } = await rig.watch();
    const { sink: other } = await rig.watch();
    sink.stalled = true;
    for (let number = 0; number < 50; number++) {
      rig.write(`a/${number}`);
      await rig.clock.settle();
    }
    await rig.clock.advance(1100);
    expect(sink.summary).toEqual(['ADDED a/0@1', 'ERROR expired']);
    expect(sink.ended).toBe(true);
    expect(other.events).toHaveLength(50);
    expect(rig.cache.stats()).toMatchObject({ watchers: 1, expired: 1 });
  });

  it('is ended by time too', async () => {
    const rig = await start({ ringMaxAge: 10_000 });
    const { sink } = await rig.watch();
    sink.stalled = true;
    rig.write('a/one');
    await rig.clock.settle();
    rig.write('a/two');
    await rig.clock.advance(12_000);
    expect(sink.summary).toEqual(['ADDED a/one@1', 'ERROR expired']);
    expect(rig.cache.stats().watchers).toBe(0);
  });
});

describe('a watcher that stalls in its initial state', () => {
  const OBJECTS = 300;

  async function stalledIn(options: RigOptions): Promise<{ rig: Rig; sink: TestSink }> {
    const rig = await start(options, (each) => {
      for (let number = 0; number < OBJECTS; number++) each.write(`a/${number}`, { content: 'x'.repeat(1000) });
    });
    const sink = new TestSink();
    sink.stalled = true;
    await rig.watch({ sink });
    expect(sink.pieces).toHaveLength(1);
    return { rig, sink };
  }

  it('is ended when the ring has passed it, though it never drains', async () => {
    const { rig, sink } = await stalledIn({ ringMaxBytes: 4000 });
    for (let number = 0; number < 20; number++) rig.write('a/0');
    await rig.clock.advance(1_100);
    expect([sink.summary.at(-1), sink.ended]).toEqual(['ERROR expired', true]);
  });

  it('gets no more of it when the ring has passed it, though it drains before anybody has noticed', async () => {
    const { rig, sink } = await stalledIn({ ringMaxBytes: 4000 });
    for (let number = 0; number < 20; number++) rig.write('a/0');
    const had = sink.events.length;
    sink.sip();
    await rig.clock.settle();
    expect(sink.summary.slice(had)).toEqual(['ERROR expired']);
  });

  it('is ended after a while, though the ring has everything', async () => {
    const { rig, sink } = await stalledIn({ maxStall: 20_000 });
    await rig.clock.advance(19_000);
    sink.sip();
    await rig.clock.advance(19_000);
    expect([sink.pieces.length, sink.ended]).toEqual([2, false]);
    await rig.clock.advance(3_000);
    expect([sink.summary.at(-1), sink.ended]).toEqual(['ERROR expired', true]);
    expect(rig.cache.stats()).toMatchObject({ watchers: 0, expired: 1 });
  });

  it('is left alone while it reads what it was given, however slowly', async () => {
    const { rig, sink } = await stalledIn({ maxStall: 20_000 });
    for (let read = 0; read < 10; read++) {
      sink.departures++;
      await rig.clock.advance(15_000);
    }
    expect([sink.pieces.length, sink.ended]).toEqual([1, false]);
    await rig.clock.advance(7_000);
    expect([sink.summary.at(-1), sink.ended]).toEqual(['ERROR expired', true]);
  });

  it('has its time anew when the process itself has stood still', async () => {
    const { rig, sink } = await stalledIn({ maxStall: 20_000 });
    // As after a pause: the timers that are overdue run when a minute is over.
    const after = rig.clock.after.bind(rig.clock);
    rig.clock.after = (ms, task) => after(ms + 60_000, task);
    await rig.clock.advance(1_000);
    rig.clock.after = after;
    await rig.clock.advance(62_000);
    expect(sink.ended).toBe(false);
    await rig.clock.advance(21_000);
    expect(sink.ended).toBe(true);
  });

  it('shares its state with nobody any more, when the ring has passed that', async () => {
    const { rig, sink } = await stalledIn({ ringMaxBytes: 4000 });
    for (let number = 0; number < 20; number++) rig.write('a/0');
    const { sink: late } = await rig.watch({ from: { at: 'any' } });
    expect([late.events.length, late.ended]).toEqual([OBJECTS, false]);
    expect(late.summary).toContain('ADDED a/0@320');
    expect(sink.pieces).toHaveLength(1);
  });
});

describe('a watcher that stalls in history', () => {
  it('is ended after a while, and not before', async () => {
    const rig = await start({ ringMaxBytes: 3000, maxStall: 20_000 });
    for (let number = 0; number < 60; number++) rig.write(`a/${number}`, { content: 'x'.repeat(1000) });
    const sink = new TestSink();
    sink.stalled = true;
    await rig.watch({ sink, from: { after: 1n } });
    await rig.clock.advance(19_000);
    sink.sip();
    await rig.clock.advance(19_000);
    expect([sink.pieces.length, sink.ended]).toEqual([2, false]);
    await rig.clock.advance(3_000);
    expect([sink.summary.at(-1), sink.ended]).toEqual(['ERROR expired', true]);
  });

  it('goes on, however long the database takes, if it is that which is waited for', async () => {
    const rig = await start({ maxStall: 20_000 }, (each) => {
      for (let number = 0; number < 1_100; number++) each.write(`a/${number}`);
    });
    const read = rig.source.changes.bind(rig.source);
    const answers: (() => void)[] = [];
    rig.source.changes = async (...request) => {
      if (request[1] > 1n) await new Promise<void>((resolve) => answers.push(resolve));
      return read(...request);
    };
    const { sink } = await rig.watch({ from: { after: 1n } });
    expect(sink.events).toHaveLength(1_024);
    await rig.clock.advance(60_000);
    expect([answers.length, sink.ended]).toEqual([1, false]);
    answers[0]?.();
    await rig.clock.settle();
    expect([sink.events.length, sink.ended]).toEqual([1_099, false]);
  });
});

describe('bookmarks', () => {
  it('come about once a minute, spread, and claim what was delivered', async () => {
    const rig = await start();
    const { sink } = await rig.watch({ bookmarks: true, namespace: 'a' });
    rig.write('b/one');
    await rig.clock.advance(44_000);
    expect(sink.summary).toEqual([]);
    await rig.clock.advance(1_200);
    expect(sink.summary).toEqual(['BOOKMARK@1']);
    rig.write('b/two');
    await rig.clock.advance(60_200);
    expect(sink.summary).toEqual(['BOOKMARK@1', 'BOOKMARK@2']);
  });

  it('come sooner while the ring is full, so that who is cut off can resume', async () => {
    const rig = await start({ ringMaxBytes: 4_000 });
    const { sink } = await rig.watch({ bookmarks: true, namespace: 'none' });
    // The ring holds some ten changes, which is ten seconds.
    for (let second = 0; second < 120; second++) {
      rig.write('a/one', { content: 'x'.repeat(200) });
      await rig.clock.advance(1_000);
    }
    const { ringSpan } = rig.cache.stats();
    const sent = sink.events.map(({ version }) => Number(version));
    expect(ringSpan).toBeLessThan(10_000);
    // Once the first has come at its old time, there is one in each third of the span.
    const late = sent.filter((version) => version > 60);
    expect(late.length).toBeGreaterThanOrEqual(50_000 / (ringSpan / 3 + 200));
    for (const [at, version] of late.slice(1).entries()) expect(version - (late[at] ?? 0)).toBeLessThanOrEqual(4);
  });

  it('are not sent to a watcher that has not got everything', async () => {
    const rig = await start();
    const { sink } = await rig.watch({ bookmarks: true });
    sink.stalled = true;
    rig.write('a/one');
    await rig.clock.settle();
    rig.write('a/two');
    await rig.clock.advance(61_000);
    expect(sink.summary).toEqual(['ADDED a/one@1']);
  });

  it('come to one that waits for a version, of that version', async () => {
    const rig = await start();
    rig.source.drawn = 5n;
    const { sink } = await rig.watch({ bookmarks: true, from: { after: 5n } });
    await rig.clock.advance(121_000);
    expect(sink.summary).toEqual(['BOOKMARK@5', 'BOOKMARK@5']);
    for (let number = 1; number <= 6; number++) rig.write('a/one');
    await rig.clock.settle();
    expect(sink.summary.slice(2)).toEqual(['MODIFIED a/one@6']);
  });

  it('come to one that reads history for long, of what it has come to', async () => {
    const rig = await start({ ringMaxBytes: 1_000 });
    for (let number = 1; number <= 20; number++) rig.write('a/one', { content: 'x'.repeat(200) });
    const changes = rig.source.changes.bind(rig.source);
    let answers = 2;
    vi.spyOn(rig.source, 'changes').mockImplementation((type, after) =>
      answers-- > 0 ? changes(type, after, 3) : new Promise(() => {}),
    );
    const { sink } = await rig.watch({ bookmarks: true, namespace: 'none', from: { after: 1n } });
    await rig.clock.advance(61_000);
    const { length } = sink.summary;
    expect([new Set(sink.summary), length > 0]).toEqual([new Set(['BOOKMARK@7']), true]);
    sink.stalled = true;
    await rig.clock.advance(30_000);
    expect([sink.summary.length, sink.overruns]).toEqual([length + 1, []]);
  });

  it('are not asked for, not sent', async () => {
    const rig = await start();
    const { sink } = await rig.watch();
    await rig.clock.advance(200_000);
    expect(sink.summary).toEqual([]);
  });
});

describe('the end of a stream', () => {
  it('comes at the deadline, after a bookmark', async () => {
    const rig = await start();
    rig.write('b/one');
    const { sink } = await rig.watch({ bookmarks: true, namespace: 'a', deadline: rig.clock.now() + 5_000 });
    await rig.clock.advance(4_900);
    expect(sink.ended).toBe(false);
    await rig.clock.advance(200);
    expect(sink.summary).toEqual(['BOOKMARK@1']);
    expect(sink.ended).toBe(true);
  });

  it('is spread when draining, and new watches are refused', async () => {
    const rig = await start();
    const watches = [];
    for (let number = 0; number < 10; number++) watches.push(await rig.watch({ bookmarks: true }));
    let drained = false;
    void rig.cache.drain(10_000).then(() => {
      drained = true;
    });
    await rig.clock.advance(5_000);
    const ended = watches.filter(({ sink }) => sink.ended).length;
    expect(ended).toBeGreaterThan(2);
    expect(ended).toBeLessThan(8);
    expect(drained).toBe(false);
    await expect(rig.watch()).rejects.toThrow('no more watches');
    await rig.clock.advance(5_000);
    expect(watches.every(({ sink }) => sink.ended && sink.summary.length === 1)).toBe(true);
    expect(drained).toBe(true);
  });

  it('by the caller leaves nothing behind', async () => {
    const rig = await start();
    const { watcher, sink } = await rig.watch({ selection: selecting({ 'label:app': 'x' }), bookmarks: true });
    watcher.close();
    watcher.close();
    rig.write('a/one', { labels: { app: 'x' } });
    await rig.clock.advance(70_000);
    expect(sink.pieces).toEqual([]);
    expect(sink.ended).toBe(false);
    expect(rig.cache.stats()).toMatchObject({ watchers: 0, audiences: 0, behind: 0 });
    rig.close();
    await rig.clock.advance(10_000);
    expect(rig.clock.pending).toBe(0);
  });
});
