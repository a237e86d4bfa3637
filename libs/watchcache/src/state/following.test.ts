import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { FrameEncoder } from '../fan-out/frames.js';
import { selecting, type TestSink, testEncoder } from '../testing/fixtures.js';
import { Rig, type RigOptions } from '../testing/rig.js';

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

/** Says with its first event of a stream what it leaves out of the others; counts what it makes. */
function openingEncoder(): { encoder: FrameEncoder; made: { first: number; others: number } } {
  const made = { first: 0, others: 0 };
  const marked = (mark: string, count: () => void): FrameEncoder['event'] => {
    return (...event) => {
      count();
      return Buffer.from(
        testEncoder
          .event(...event)
          .toString()
          .replace('{', `{"mark":"${mark}",`),
      );
    };
  };
  const encoder = {
    ...testEncoder,
    key: 'opening',
    event: marked('first', () => made.first++),
    following: { ...testEncoder, key: 'opening;following', event: marked('other', () => made.others++) },
  };
  return { encoder, made };
}

async function start(options: RigOptions = {}): Promise<Rig> {
  const rig = new Rig(options);
  rigs.push(rig);
  await rig.clock.settle();
  return rig;
}

const marks = (sink: TestSink): string[] =>
  sink.events.flatMap((event) => ('mark' in event ? [String((event as { mark: unknown }).mark)] : []));

/** One `first`, then only others. */
function expectOpened(sink: TestSink, events: number): void {
  expect(marks(sink)).toEqual(Array.from({ length: events }, (_, at) => (at === 0 ? 'first' : 'other')));
}

describe('encoders whose first event says more', () => {
  it('make it once a stream, wherever it comes from', async () => {
    const rig = await start({ ringMaxBytes: 3000 });
    for (let number = 0; number < 5; number++) rig.write(`a/o${number}`);
    const { encoder } = openingEncoder();
    const initial = await rig.watch({ encoder });
    const changes = await rig.watch({ encoder, initialEvents: 'none' });
    const behind = await rig.watch({ encoder, from: { after: 4n } });
    for (let number = 0; number < 50; number++) rig.write(`a/o${number}`);
    await rig.clock.settle();
    const history = await rig.watch({ encoder, from: { after: 2n } });
    const late = await rig.watch({ encoder, initialEvents: 'none' });
    await rig.clock.settle();
    rig.write('a/last');
    await rig.clock.settle();
    expectOpened(initial.sink, 5 + 50 + 1);
    expectOpened(changes.sink, 50 + 1);
    expectOpened(behind.sink, 1 + 50 + 1);
    expectOpened(history.sink, 3 + 50 + 1);
    expectOpened(late.sink, 1);
  });

  it('share all other frames, and the first of those who begin together', async () => {
    const rig = await start({ cohortSize: 50 });
    const { encoder, made } = openingEncoder();
    const sinks: TestSink[] = [];
    for (let number = 0; number < 200; number++) sinks.push((await rig.watch({ encoder, initialEvents: 'none' })).sink);
    for (let number = 0; number < 10; number++) {
      rig.write(`a/o${number}`);
      await rig.clock.advance(50);
    }
    for (const sink of sinks) expectOpened(sink, 10);
    expect(made).toEqual({ first: 1, others: 9 });
    expect(rig.cache.stats()).toMatchObject({ audiences: 1, watchers: 200 });
    for (const { summary } of sinks) expect(summary).toHaveLength(10);
  });

  it('bring every event once, also when one is large enough to be flushed at once', async () => {
    const rig = await start();
    const { encoder } = openingEncoder();
    const early = await rig.watch({ encoder, initialEvents: 'none' });
    rig.write('a/small');
    await rig.clock.settle();
    const late = await rig.watch({ encoder, initialEvents: 'none' });
    rig.write('a/large', { content: 'x'.repeat(300 << 10) });
    rig.write('a/after');
    await rig.clock.settle();
    expect(early.sink.summary).toEqual(['ADDED a/small@1', 'ADDED a/large@2', 'ADDED a/after@3']);
    expect(late.sink.summary).toEqual(['ADDED a/large@2', 'ADDED a/after@3']);
    expectOpened(early.sink, 3);
    expectOpened(late.sink, 2);
  });

  it('keep to that through stalls, bookmarks and streams that end', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('write' as const), name: fc.nat(5), size: fc.constantFrom(0, 0, 0, 300 << 10) }),
      fc.record({ do: fc.constant('watch' as const), selected: fc.boolean(), initial: fc.boolean() }),
      fc.record({ do: fc.constantFrom('stall' as const, 'release' as const, 'close' as const), which: fc.nat(9) }),
      fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 5, 100, 2000) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
        const rig = await start({ bookmarkInterval: 1000, cohortSize: 2 });
        const { encoder } = openingEncoder();
        const streams: { sink: TestSink; closed: boolean; plain: TestSink; close: () => void }[] = [];
        for (const each of steps) {
          if (each.do === 'write')
            rig.write(`a/o${each.name}`, { content: 'x'.repeat(each.size), node: `n${each.name % 2}` });
          if (each.do === 'wait') await rig.clock.advance(each.ms);
          if (each.do === 'watch') {
            const request = {
              initialEvents: each.initial ? ('legacy' as const) : ('none' as const),
              ...(each.selected && { selection: selecting({ 'field:spec.nodeName': 'n1' }) }),
            };
            const { sink, watcher } = await rig.watch({ ...request, encoder, bookmarks: true });
            const plain = await rig.watch(request);
            streams.push({ sink, closed: false, plain: plain.sink, close: () => watcher.close() });
          }
          if (each.do !== 'stall' && each.do !== 'release' && each.do !== 'close') continue;
          const stream = streams[each.which];
          if (stream === undefined || stream.closed) continue;
          if (each.do === 'stall') stream.sink.stalled = true;
          if (each.do === 'release') stream.sink.release();
          if (each.do !== 'close') continue;
          stream.closed = true;
          stream.close();
        }
        for (const { sink } of streams) sink.release();
        await rig.clock.advance(200);
        for (const { sink, plain, closed } of streams) {
          const events = sink.summary.filter((line) => !line.startsWith('BOOKMARK'));
          expect(closed ? plain.summary.slice(0, events.length) : plain.summary).toEqual(events);
          expectOpened(sink, events.length);
        }
        rig.close();
      }),
      { seed: 31, numRuns: 150 },
    );
  });
});
