import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from 'vitest';
import { InitialBudgetError } from '../errors.js';
import type { WatchSink } from '../fan-out/watch-sink.js';
import type { Selection } from '../state/attributes.js';
import type { TestSink } from '../testing/fixtures.js';
import { Rig, type RigOptions } from '../testing/rig.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const OBJECTS = 2_000;
const BODY = 4_000;
const WATCHES = 25;

const rigs: Rig[] = [];
afterEach(() => {
  for (const rig of rigs.splice(0)) rig.close();
});

/** Reads so many bytes, keeps none of them, and then reads no more. */
class StallingSink implements WatchSink {
  read = 0;
  ended = false;

  constructor(private readonly stopsAt: number) {}

  write(bytes: Buffer): boolean {
    this.read += bytes.length;
    return this.read < this.stopsAt;
  }

  onDrain(): void {}

  end(): void {
    this.ended = true;
  }
}

/** Selects everything, and is nobody else's. */
const ownSelection = (number: number): Selection => ({ key: `own ${number}`, matches: () => true });

/** What is left of the memory beside the heap when all garbage is gone; it goes a turn later. */
async function retained(): Promise<number> {
  for (let round = 0; round < 4; round++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().arrayBuffers;
}

async function start(options: RigOptions = {}): Promise<Rig> {
  const rig = new Rig(options, (each) => {
    for (let number = 0; number < OBJECTS; number++) each.write(`a/${number}`, { content: 'x'.repeat(BODY) });
  });
  rigs.push(rig);
  await rig.clock.settle();
  return rig;
}

/** Bytes that the watches hold which are open, all of them stalled. */
const held = (rig: Rig): number => rig.cache.stats().initialBytes;

describe('watches that read most of their initial state and stop', () => {
  const stopsAt = OBJECTS * BODY * 0.6;

  async function stall(rig: Rig, number: number): Promise<StallingSink> {
    const sink = new StallingSink(stopsAt);
    await rig.watch({ sink, selection: ownSelection(number), owner: 'jane' });
    return sink;
  }

  it('hold no copy of what they have read, though nobody else has the same selector', async () => {
    const rig = await start();
    const before = await retained();
    const sinks: StallingSink[] = [];
    for (let number = 0; number < WATCHES; number++) sinks.push(await stall(rig, number));
    await rig.clock.advance(5_000);
    for (const { read } of sinks) expect(read).toBeGreaterThanOrEqual(stopsAt);
    // Each has read 4.8 MB of its own.
    expect((await retained()) - before).toBeLessThan(2 << 20);
    expect(held(rig)).toBeGreaterThan(WATCHES * OBJECTS * 8);
    expect(held(rig)).toBeLessThan(WATCHES * OBJECTS * 8 * 1.1);
  });

  it('hold what they hold within a bound of their owner, and are ended before a minute is over', async () => {
    const initialLimits = { together: 0, perOwner: 10 * (1_000 + OBJECTS * 8) };
    const rig = await start({ initialLimits });
    const sinks: StallingSink[] = [];
    for (let number = 0; number < 10; number++) sinks.push(await stall(rig, number));
    await expect(stall(rig, 10)).rejects.toBeInstanceOf(InitialBudgetError);
    expect(rig.cache.stats()).toMatchObject({ watchers: 10, audiences: 10, selectorTerms: 10 * 5, initialStates: 10 });
    await rig.watch({ selection: ownSelection(11), owner: 'joe' });
    expect(held(rig)).toBeLessThan(initialLimits.perOwner + (64 << 20));
    await rig.clock.advance(55_000);
    expect(sinks.every(({ ended }) => ended)).toBe(true);
    expect(rig.cache.stats()).toMatchObject({ watchers: 1, initialBytes: 0, expired: 10 });
    await stall(rig, 12);
  });
});

describe('an initial state', () => {
  it('is dropped a little after its last reader has it whole, though the watch goes on', async () => {
    const rig = await start();
    const { sink } = await rig.watch();
    await rig.clock.settle();
    expect(sink.events).toHaveLength(OBJECTS);
    expect(held(rig)).toBeGreaterThan(OBJECTS * BODY);
    await rig.clock.advance(3_500);
    expect(held(rig)).toBe(0);
  });

  it('counts once in all, however many owners read it', async () => {
    const rig = new Rig({ initialLimits: { together: 8 << 20, perOwner: 5 << 20 } }, (each) => {
      for (let number = 0; number < 5; number++) each.write(`a/${number}`, { content: 'x'.repeat(1 << 20) });
    });
    rigs.push(rig);
    await rig.clock.settle();
    for (let number = 0; number < 50; number++) await rig.watch({ sink: new StallingSink(1), owner: `user ${number}` });
    expect(rig.cache.stats().watchers).toBe(50);
    // The objects are five, and so are their frames; a piece of one is kept besides.
    expect(held(rig)).toBeLessThan(7 << 20);
    // One owner has no more than before.
    await rig.watch({ sink: new StallingSink(1), owner: 'user 0' });
    await expect(rig.watch({ selection: ownSelection(0), owner: 'user 0' })).rejects.toBeInstanceOf(InitialBudgetError);
    await rig.clock.advance(60_000);
    expect([rig.cache.stats().watchers, held(rig)]).toEqual([0, 0]);
  });

  it('is kept for those who come next, though a reader of the one before it leaves', async () => {
    const rig = await start();
    const old = await rig.watch({ sink: new StallingSink(1) });
    rig.write('a/0');
    await rig.clock.advance(2_500);
    const newer = await rig.watch({ sink: new StallingSink(1) });
    old.watcher.close();
    await rig.clock.advance(2_500);
    expect(held(rig)).toBe(1_000 + OBJECTS * 8);
    const { sink } = await rig.watch();
    expect(sink.summary).toHaveLength(OBJECTS);
    expect(rig.cache.stats().initialStates).toBe(2);
    newer.watcher.close();
    await rig.clock.advance(5_000);
    expect(held(rig)).toBe(0);
  });

  it('is dropped at once with the last watch that could share it', async () => {
    const rig = await start();
    const { watcher } = await rig.watch();
    watcher.close();
    expect(held(rig)).toBe(0);
  });
});

describe('clients that do not read large objects', () => {
  it('hold one copy of each between them, whatever their selectors and however they came to it', async () => {
    const rig = new Rig({ maxFrameBytes: 0 }, (each) => each.write('a/large', { content: 'x'.repeat(1 << 20) }));
    rigs.push(rig);
    await rig.clock.settle();
    const initial: TestSink[] = [];
    for (let number = 0; number < 5; number++) {
      const { sink } = await rig.watch({ selection: ownSelection(number) });
      initial.push(sink);
      await rig.clock.advance(5_000);
    }
    rig.write('a/large', { content: 'y'.repeat(1 << 20) });
    const behind: TestSink[] = [];
    for (let number = 0; number < 5; number++) {
      behind.push((await rig.watch({ from: { after: 1n }, selection: ownSelection(number) })).sink);
    }
    for (const sinks of [initial, behind]) {
      const memories = new Set(sinks.map(({ pieces }) => pieces[0]?.buffer));
      expect([memories.size, [...memories][0]?.byteLength]).toEqual([1, expect.any(Number)]);
    }
    expect(behind.map(({ summary }) => summary)).toEqual(behind.map(() => ['MODIFIED a/large@2']));
  });

  it('share nothing with those who come after a rewind', async () => {
    const rig = new Rig({}, (each) => each.write('a/large', { content: 'x'.repeat(1 << 20) }));
    rigs.push(rig);
    await rig.clock.settle();
    const { sink: before } = await rig.watch();
    rig.source.rewind(1, 0n, true);
    await rig.clock.settle();
    rig.source.skip(-1n);
    rig.write('a/large', { content: 'y'.repeat(1 << 20) });
    await rig.clock.settle();
    const { sink: after } = await rig.watch();
    expect([before.events[0]?.version, after.events[0]?.version]).toEqual(['1', '1']);
    expect(after.events[0]?.body).toContain('yyy');
  });
});
