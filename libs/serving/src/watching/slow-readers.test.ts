import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { ManualClock } from '@orch/runtime/testing';
import { expect, it, vi } from 'vitest';
import type { SendQueue } from '../sockets/tcp-table.js';
import { SlowReaders } from './slow-readers.js';
import { WatchOutput, WatchOutputs } from './watch-output.js';

const LIMIT = 1_000;

/** A connection that has been given all that it may hold, and of which nothing leaves. */
function connection(remotePort: number): Socket {
  const socket = new Socket();
  const ends = {
    localAddress: '127.0.0.1',
    localPort: 1,
    remoteAddress: 'fe80::1%eth0',
    remotePort,
    writableLength: LIMIT,
  };
  for (const [name, value] of Object.entries(ends)) Object.defineProperty(socket, name, { value });
  vi.spyOn(socket, 'write').mockReturnValue(false);
  return socket;
}

function setUp(streams: readonly Writable[]) {
  const [clock, outputs] = [new ManualClock(), new WatchOutputs(LIMIT)];
  let queues: readonly SendQueue[] = [];
  const look = vi.fn(async function* () {
    yield* queues;
  });
  new SlowReaders(outputs, { clock, maxStallMs: 45_000, onError: vi.fn(), queues: look });
  const watches = streams.map((stream) => {
    const output = new WatchOutput(stream, outputs);
    output.open(() => undefined);
    return output;
  });
  const holds = (...bytes: readonly number[]) => {
    queues = bytes.map((held, i) => ({ name: `127.0.0.1 1 fe80::1 ${i}`, bytes: held }));
    return clock.advance(5_000);
  };
  return { clock, look, watches, holds };
}

it('tells a client whose queue shrinks from one whose queue does not', async () => {
  const { watches, holds, look } = setUp([connection(0), connection(1)]);
  await holds(9, 9);
  expect(look).not.toHaveBeenCalled();
  for (const watch of watches) expect(watch.write(Buffer.alloc(10))).toBe(false);
  await holds(9, 9);
  expect(watches.map(({ departures }) => departures)).toEqual([0, 0]);
  await holds(8, 9);
  await holds(7, 9);
  expect(watches.map(({ departures }) => departures)).toEqual([2, 0]);
});

it('looks no more once nobody is stalled, and not for streams of a connection that others share', async () => {
  const [gone, shared] = [connection(0), new Writable({ write: () => undefined, highWaterMark: 16 })];
  const { watches, holds, look, clock } = setUp([gone, shared]);
  for (const watch of watches) {
    watch.write(Buffer.alloc(LIMIT));
    expect(watch.write(Buffer.alloc(10))).toBe(false);
  }
  gone.emit('close');
  await holds(9);
  expect(look).not.toHaveBeenCalled();
  shared.emit('close');
  await holds(9);
  expect(clock.pending).toBe(0);
});
