import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LINGER_MS } from '../watching/watch-stream.js';
import { LineEnds } from './frame-ends.js';
import { HandedWatch, type Silence } from './handed-watch.js';

const LAST = Buffer.from('{"type":"ERROR"}\n');

function handed(silence?: Silence) {
  const [source, sink] = [new PassThrough(), new PassThrough()];
  const errors: Error[] = [];
  sink.on('error', (error) => errors.push(error));
  const watch = new HandedWatch(source, sink, new LineEnds(), () => sink.end(), silence);
  return { source, sink, watch, errors };
}

describe('a watch that a gateway serves', () => {
  it('ends with the frame that it is ended with', async () => {
    const { source, sink, watch } = handed();
    source.write('{"n":1}\n');
    await once(sink, 'readable');
    watch.end(LAST);
    expect(await text(sink)).toBe(`{"n":1}\n${LAST}`);
  });

  it('that the gateway has ended is not written to any more', async () => {
    const { source, sink, watch, errors } = handed();
    source.end('{"n":1}\n');
    await once(source, 'end');
    watch.end(LAST);
    expect(await text(sink)).toBe('{"n":1}\n');
    expect(errors).toEqual([]);
  });

  it('that somebody else has ended is not written to any more, behind an event that was under way either', async () => {
    const { source, sink, watch, errors } = handed();
    source.write('{"n":');
    await once(sink, 'readable');
    watch.end(LAST);
    sink.end();
    source.write('1}\n');
    expect(await text(sink)).toBe('{"n":');
    expect(errors).toEqual([]);
  });
});

describe('a gateway of which nothing comes any more', () => {
  const LIMIT_MS = 180_000;
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  const owing = () => {
    const onCut = vi.fn();
    return { ...handed({ limitMs: LIMIT_MS, onCut }), onCut };
  };

  it('is cut off when it owes signs of life', async () => {
    const { source, onCut } = owing();
    source.write('{"n":1}\n');
    vi.advanceTimersByTime(LIMIT_MS - 1);
    expect(source.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect([source.destroyed, onCut.mock.calls.length]).toEqual([true, 1]);
  });

  it('is not while something comes', async () => {
    const { source, sink } = owing();
    sink.resume();
    for (let i = 0; i < 5; i++) {
      source.write('{"n":1}\n');
      await once(sink, 'data');
      vi.advanceTimersByTime(LIMIT_MS - 1);
    }
    expect(source.destroyed).toBe(false);
  });

  it('is not while its client does not read, but is when it reads again and nothing comes', async () => {
    const { source, sink } = owing();
    source.write(Buffer.alloc(1 << 20, '\n'));
    await expect.poll(() => source.isPaused()).toBe(true);
    vi.advanceTimersByTime(3 * LIMIT_MS);
    expect(source.destroyed).toBe(false);
    sink.resume();
    await expect.poll(() => source.isPaused()).toBe(false);
    vi.advanceTimersByTime(LIMIT_MS);
    expect(source.destroyed).toBe(true);
  });

  it.each([undefined, 0])('may be silent for ever with a limit of %s', (limitMs) => {
    const { source } = handed(limitMs === undefined ? undefined : { limitMs, onCut: () => undefined });
    vi.advanceTimersByTime(100 * LIMIT_MS);
    expect(source.destroyed).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no timer behind', async () => {
    const { source, sink, onCut } = owing();
    sink.resume();
    const closed = once(source, 'close');
    source.end('{"n":1}\n');
    await closed;
    expect([vi.getTimerCount(), onCut.mock.calls.length]).toEqual([0, 0]);
  });

  it('is not waited for with the rest of an event', async () => {
    const { source, sink, watch } = handed();
    source.write('{"n":');
    await once(sink, 'readable');
    watch.end();
    vi.advanceTimersByTime(LINGER_MS - 1);
    expect(source.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(source.destroyed).toBe(true);
  });
});
