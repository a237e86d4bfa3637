import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UnreadStateError } from '../errors.js';
import { FrameCache, type FrameEncoder } from '../fan-out/frames.js';
import type { ChangeEvent } from '../history/change-event.js';
import { CacheEntry, unreadEntry } from '../state/cache-entry.js';
import { bodyOf, describeRow, piecesEncoder, selecting, TestSink } from '../testing/fixtures.js';
import { Rig, type RigOptions } from '../testing/rig.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

async function start(options: RigOptions = {}): Promise<Rig> {
  const rig = new Rig(options);
  rigs.push(rig);
  await rig.clock.settle();
  return rig;
}

const LARGE = 'x'.repeat(300_000);

/** A change to an object of so many bytes. */
function eventOf(bytes: number, version = 2n): ChangeEvent {
  const entry = new CacheEntry('a', 'o', 'u', version, bodyOf({ content: 'x'.repeat(bytes) }), describeRow);
  return { version, op: 'update', entry, prior: entry, at: 0, frames: undefined };
}

describe('events of large objects', () => {
  it('are made in pieces, which hold the body itself, and others in one', () => {
    const frames = new FrameCache(10 << 20);
    const event = eventOf(300_000);
    const pieces = frames.frame(event, 'MODIFIED', piecesEncoder);
    expect(pieces[1]).toBe(event.entry.body);
    expect(frames.frame(event, 'MODIFIED', piecesEncoder)).toBe(pieces);
    expect(frames.frame(eventOf(200_000, 9n), 'MODIFIED', piecesEncoder)).toHaveLength(1);
    const never: FrameEncoder = { ...piecesEncoder, key: 'never', eventPieces: () => undefined };
    expect(frames.frame(event, 'MODIFIED', never).map((piece) => JSON.parse(piece.toString()).type)).toEqual([
      'MODIFIED',
    ]);
    expect(frames.encode(event.entry, 'MODIFIED', 2n, piecesEncoder).length).toBeGreaterThan(300_000);
  });

  it('count for all that they hold on to, and are held no longer than they may be', () => {
    const frames = new FrameCache(700_000);
    const events = [2n, 3n, 4n].map((version) => eventOf(300_000, version));
    for (const event of events.slice(0, 2)) frames.frame(event, 'MODIFIED', piecesEncoder);
    expect(Math.floor(frames.bytes / 300_000)).toBe(2);
    frames.frame(events[2] as ChangeEvent, 'MODIFIED', piecesEncoder);
    expect(events.map((event) => event.frames?.length)).toEqual([0, 1, 1]);
    expect(Math.floor(frames.bytes / 300_000)).toBe(2);
  });

  it('lie in the memory that somebody holds, where the same body has been read again', () => {
    const frames = new FrameCache(1);
    const first = frames.frame(eventOf(300_000), 'MODIFIED', piecesEncoder);
    const again = eventOf(300_000);
    const second = frames.frame(again, 'MODIFIED', piecesEncoder);
    expect(second[1]?.buffer).toBe(first[1]?.buffer);
    expect(Buffer.concat(second).equals(Buffer.concat(first))).toBe(true);
    expect(JSON.parse(Buffer.concat(second).toString())).toMatchObject({ version: '2', key: 'a/o' });
    frames.disown();
    expect(frames.frame(again, 'DELETED', piecesEncoder)[1]).toBe(again.entry.body);
  });

  it('are found again whole, though some of it lies elsewhere, and keep no body that nobody holds', async () => {
    const frames = new FrameCache(1);
    const gapped: FrameEncoder = {
      ...piecesEncoder,
      eventPieces: (_kind, { body }) => [
        Buffer.from('head'),
        body.subarray(0, 200_000),
        Buffer.alloc(500, 'y'),
        body.subarray(200_000),
      ],
    };
    const made = () => {
      const pieces = frames.frame(eventOf(300_000), 'MODIFIED', gapped);
      const again = frames.frame(eventOf(300_000), 'MODIFIED', gapped);
      expect(Buffer.concat(again).equals(Buffer.concat(pieces))).toBe(true);
      expect(again[3]?.buffer).toBe(pieces[1]?.buffer);
      return new WeakRef(pieces[1]?.buffer ?? expect.unreachable());
    };
    const memory = made();
    for (let round = 0; round < 4 && memory.deref(); round++) {
      await new Promise((resolve) => setImmediate(resolve));
      collect();
    }
    expect(memory.deref()).toBeUndefined();
  });

  it('are not made of a state that was not read', () => {
    const entry = unreadEntry({ namespace: 'a', name: 'o', uid: 'u' }, 1n);
    const frames = new FrameCache(1);
    expect(() => frames.encode(entry, 'ADDED', 1n, piecesEncoder)).toThrow(UnreadStateError);
  });

  it.each([
    ['live', {}],
    ['from the ring', {}],
    ['from history', { ringMaxBytes: 3_000 }],
  ])('come %s in pieces to who takes them so, and in one to others', async (how, options: RigOptions) => {
    const rig = await start(options);
    const [sink, other] = [TestSink.ofPieces(), new TestSink()];
    const from = how === 'live' ? ({ at: 'now' } as const) : ({ after: 0n } as const);
    const watch = () =>
      Promise.all([sink, other].map((each) => rig.watch({ sink: each, from, encoder: piecesEncoder })));
    if (how === 'live') await watch();
    for (const [name, content] of [
      ['a/1', LARGE],
      ['a/2', 'small'],
      ['a/3', LARGE],
    ] as const) {
      rig.write(name, { content });
      await rig.clock.settle();
    }
    if (how !== 'live') await watch();
    await rig.clock.settle();
    expect(sink.together).toEqual([3, 3]);
    expect(other.pieces).toHaveLength(3);
    expect(Buffer.concat(other.pieces).toString()).toBe(Buffer.concat(sink.pieces).toString());
    const lines = Buffer.concat(sink.pieces).toString().split('\n').slice(0, -1);
    expect(lines.map((line) => JSON.parse(line).key)).toEqual(['a/1', 'a/2', 'a/3']);
  });

  it('that come with others go out with them', async () => {
    const rig = await start();
    const sink = TestSink.ofPieces();
    await rig.watch({ sink, encoder: piecesEncoder });
    await rig.clock.settle();
    rig.write('a/1', { content: 'small' });
    rig.write('a/2', { content: LARGE });
    await rig.clock.settle();
    expect([sink.together, sink.pieces.length]).toEqual([[], 1]);
    expect(Buffer.concat(sink.pieces).toString().split('\n')).toHaveLength(3);
  });
});

it('the states before changes are read for those alone who look at more than keys', async () => {
  const rig = await start({ ringMaxBytes: 1_000 });
  for (let number = 1; number <= 20; number++) rig.write('a/one', { labels: { app: 'x' }, content: 'x'.repeat(200) });
  const whole = rig.source.changes.bind(rig.source);
  const changes = vi.spyOn(rig.source, 'changes');
  // Of which the first is read before the watch begins.
  changes.mockImplementation((type, after, _limit, prior) => whole(type, after, 7, prior));
  const asked = async (request: Parameters<typeof rig.watch>[0]) => {
    changes.mockClear();
    const { sink } = await rig.watch({ ...request, from: { after: 1n } });
    await rig.clock.settle();
    expect(sink.events).toHaveLength(19);
    return [...new Set(changes.mock.calls.map(([, , , prior]) => prior))];
  };
  const byName = { ...selecting({ 'field:metadata.name': 'one' }), byKey: true };
  expect(await asked({ namespace: 'a' })).toEqual(['version']);
  expect(await asked({ selection: byName })).toEqual([]);
  await rig.clock.advance(30_000);
  expect(await asked({ selection: byName })).toEqual(['version']);
  expect(await asked({ selection: selecting({ 'label:app': 'x' }) })).toEqual(['body']);
});
