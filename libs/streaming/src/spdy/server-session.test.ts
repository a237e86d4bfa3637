import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { openingFrame } from './frames.js';
import { ServerSession } from './server-session.js';

/** Streams that the client opens. */
const OPENED = 4_000;
/** Turns of the loop in which no stream was opened until the client reads. */
const STILL = 2_000;

it('opens no more streams while the client does not read the answers to those before', async () => {
  let read: (() => void) | undefined;
  const socket = new Duplex({
    read: () => undefined,
    write(_bytes, _encoding, done) {
      read = done;
    },
  });
  let [opened, waiting] = [0, 0];
  const onStream = (stream: Duplex): void => {
    opened++;
    stream.destroy();
    waiting = Math.max(waiting, socket.writableLength);
  };
  const session = new ServerSession({ socket, head: Buffer.alloc(0), idleMs: 0, onStream });
  for (let index = 0; index < OPENED; index++) socket.push(openingFrame(2 * index + 1, { a: 'b' }, index === 0));
  // The client reads only when no more streams are opened.
  let [before, still] = [0, 0];
  while (opened < OPENED) {
    await new Promise((resolve) => setImmediate(resolve));
    still = opened === before ? still + 1 : 0;
    before = opened;
    if (still < STILL) continue;
    const done = read;
    read = undefined;
    done?.();
  }
  expect(waiting).toBeLessThan(socket.writableHighWaterMark + 1024);
  session.close();
});
