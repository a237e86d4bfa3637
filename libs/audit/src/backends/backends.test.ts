import { systemClock } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { describe, expect, it } from 'vitest';
import type { EventRecord } from '../events/event.js';
import { eventOf } from '../testing/events.js';
import type { AuditSink } from './backend.js';
import { BatchingBackend, type BatchSettings } from './batching.js';
import { BlockingBackend } from './blocking.js';
import { TruncatingSink } from './truncating.js';
import { unionOf } from './union.js';

/** Notes what is written, once it is let to. */
class Noting implements AuditSink {
  readonly name = 'noting';
  readonly batches: string[][] = [];
  readonly written: EventRecord[] = [];
  gate: Promise<void> = Promise.resolve();
  fails = false;

  async write(events: readonly EventRecord[]): Promise<void> {
    await this.gate;
    if (this.fails) throw new Error('out of order');
    this.batches.push(events.map(({ event }) => event.auditID));
    this.written.push(...events);
  }

  async close() {}
}

function lostEvents() {
  const lost: [string, number, string][] = [];
  const note = (plugin: string, count: number, why: unknown) => void lost.push([plugin, count, String(why)]);
  return { lost, note };
}

const SETTINGS: BatchSettings = { bufferSize: 10, bufferBytes: 1 << 20, maxSize: 4, maxWaitMs: 60_000, concurrency: 1 };

function batching(settings: Partial<BatchSettings> = {}) {
  const sink = new Noting();
  const { lost, note } = lostEvents();
  const backend = new BatchingBackend(sink, { ...SETTINGS, ...settings }, note, systemClock);
  const submit = (...names: string[]) => {
    for (const name of names) backend.submit(eventOf(name));
  };
  return { sink, lost, backend, submit };
}

describe('in batch mode', () => {
  it('batches go when they are full, and the rest at the end', async () => {
    const { sink, backend, submit, lost } = batching();
    submit('1', '2', '3', '4', '5');
    await expect.poll(() => sink.batches).toEqual([['1', '2', '3', '4']]);
    await backend.close();
    expect(sink.batches).toEqual([['1', '2', '3', '4'], ['5']]);
    submit('6');
    expect(lost).toEqual([['buffered', 1, 'Error: audit backend shut down']]);
  });

  it('batches go when they have waited long enough', async () => {
    const { sink, submit } = batching({ maxWaitMs: 5 });
    submit('1');
    await expect.poll(() => sink.batches).toEqual([['1']]);
  });

  it('nobody waits for a sink that does not take anything; what finds no room is lost and counted', async () => {
    const { sink, submit, lost, backend } = batching({ maxSize: 1 });
    let open = (): void => undefined;
    sink.gate = new Promise((resolve) => {
      open = resolve;
    });
    submit(...Array.from({ length: 10 }, (_, at) => `${at}`));
    await new Promise(setImmediate);
    submit('10', '11', '12');
    expect(lost).toEqual([
      ['buffered', 1, 'Error: audit buffer queue blocked'],
      ['buffered', 1, 'Error: audit buffer queue blocked'],
    ]);
    open();
    await backend.close();
    expect(sink.batches.flat()).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
  });

  it('large events find less room', async () => {
    const { lost, backend } = batching({ bufferBytes: 11_000 });
    for (const name of ['1', '2', '3']) backend.submit(eventOf(name, 2000, 'Request'));
    expect(lost).toHaveLength(1);
  });

  it('batches that could not be written are counted, and the next go on', async () => {
    const { sink, submit, lost, backend } = batching({ maxSize: 2 });
    sink.fails = true;
    submit('1', '2');
    await expect.poll(() => lost).toEqual([['noting', 2, 'Error: out of order']]);
    sink.fails = false;
    submit('3');
    await backend.close();
    expect(sink.batches).toEqual([['3']]);
  });

  it('so many batches go in a second as they may', async () => {
    const { sink, submit, backend } = batching({ maxSize: 1, throttle: { qps: 20, burst: 2 } });
    const begin = performance.now();
    submit('1', '2', '3', '4');
    await expect.poll(() => sink.batches.length).toBe(4);
    expect(performance.now() - begin).toBeGreaterThan(95);
    await backend.close();
  });
});

describe('where a sink takes nothing at the end', () => {
  const SETTLED = { batching: { ...SETTINGS, maxSize: 1 }, blocking: { strict: true, bufferBytes: 1 << 20 } };

  function ending(mode: 'batching' | 'blocking') {
    const [sink, clock, { lost, note }] = [new Noting(), new ManualClock(), lostEvents()];
    sink.gate = new Promise(() => undefined);
    const backend =
      mode === 'batching'
        ? new BatchingBackend(sink, SETTLED.batching, note, clock)
        : new BlockingBackend(sink, SETTLED.blocking, note, clock);
    for (const name of ['1', '2', '3']) void backend.submit(eventOf(name));
    const state = { closed: false };
    const close = (deadline?: AbortSignal) => {
      void backend.close(deadline).then(() => {
        state.closed = true;
      });
    };
    return { clock, lost, close, state };
  }

  it.each(['batching', 'blocking'] as const)('what waits has ten seconds (%s)', async (mode) => {
    const { clock, close, state } = ending(mode);
    close(new AbortController().signal);
    await clock.advance(9_999);
    expect(state.closed).toBe(false);
    await clock.advance(1);
    expect(state.closed).toBe(true);
  });

  it.each(['batching', 'blocking'] as const)('and one behind the deadline of the process (%s)', async (mode) => {
    const { clock, close, state } = ending(mode);
    const deadline = new AbortController();
    close(deadline.signal);
    await clock.advance(3_000);
    deadline.abort();
    await clock.advance(999);
    expect(state.closed).toBe(false);
    await clock.advance(1);
    expect(state.closed).toBe(true);
  });

  it('which may be over already; what is left is told of', async () => {
    const { clock, lost, close, state } = ending('batching');
    await clock.settle();
    close(AbortSignal.abort());
    await clock.advance(1_000);
    expect(state.closed).toBe(true);
    expect(lost).toEqual([['buffered', 2, 'Error: audit backend shut down']]);
  });
});

describe('in the blocking modes', () => {
  const STRICT = { strict: true, bufferBytes: 1 << 20 };

  it.each([false, true])(
    'what waits for a sink that takes nothing is bounded, and no more is let by (strict: %s)',
    async (strict) => {
      const sink = new Noting();
      let open = (): void => undefined;
      sink.gate = new Promise((resolve) => {
        open = resolve;
      });
      const { lost, note } = lostEvents();
      const backend = new BlockingBackend(sink, { strict, bufferBytes: 2_500 }, note, systemClock);
      const waiting = [backend.submit(eventOf('1')), backend.submit(eventOf('2'))];
      expect(await backend.submit(eventOf('3'))).toBe(false);
      expect(lost).toEqual([['noting', 1, expect.stringContaining('there is no room for more')]]);
      open();
      expect(await Promise.all(waiting)).toEqual([true, true]);
      expect(await backend.submit(eventOf('4'))).toBe(true);
      await backend.close();
    },
  );

  it('requests wait, and only the strict one fails with the sink', async () => {
    for (const strict of [false, true]) {
      const sink = new Noting();
      const { lost, note } = lostEvents();
      const backend = new BlockingBackend(sink, { strict, bufferBytes: 1 << 20 }, note, systemClock);
      expect(await backend.submit(eventOf('1'))).toBe(true);
      sink.fails = true;
      expect(await backend.submit(eventOf('2'))).toBe(!strict);
      expect(lost).toEqual([['noting', 1, 'Error: out of order']]);
      expect(sink.batches).toEqual([['1']]);
      await backend.close();
    }
  });

  it('one of several that fails counts', async () => {
    const [good, bad] = [new Noting(), new Noting()];
    bad.fails = true;
    const { note } = lostEvents();
    const both = unionOf([
      new BlockingBackend(good, STRICT, note, systemClock),
      new BlockingBackend(bad, STRICT, note, systemClock),
    ]);
    expect(await both.submit(eventOf('1'))).toBe(false);
    expect(good.batches).toEqual([['1']]);
    expect(unionOf([batching().backend, batching().backend]).submit(eventOf('1'))).toBeUndefined();
  });
});

describe('truncation', () => {
  it('takes bodies out of what is too large, and leaves out what is too large even so', async () => {
    const sink = new Noting();
    const { lost, note } = lostEvents();
    const truncating = new TruncatingSink(sink, { maxEventSize: 600, maxBatchSize: 900 }, note);
    const large = eventOf('2', 1000, 'Request');
    await truncating.write([eventOf('1'), large, eventOf('x'.repeat(600)), eventOf('3')]);
    expect(lost).toEqual([['truncate', 1, 'Error: event is too large even after truncating']]);
    expect(sink.batches).toEqual([['1', '2'], ['3']]);
    expect(JSON.parse(sink.written[1]?.json ?? '')).toMatchObject({
      annotations: { 'audit.orch.io/truncated': 'true' },
    });
    expect(sink.written[1]?.json).not.toContain('requestObject');
    expect(large.json).toContain('requestObject');
  });
});
