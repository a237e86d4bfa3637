import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { expect, it } from 'vitest';
import { CommandStreams } from './command-streams.js';
import { FrameReader } from './frame-reader.js';

it('more bytes than a frame can have are sent in several', async () => {
  const written: Buffer[] = [];
  const socket = new Duplex({
    read: () => undefined,
    write: (bytes: Buffer, _encoding, done) => {
      written.push(bytes);
      done();
    },
  });
  const streams = new CommandStreams(socket as unknown as Socket, new Set(['error', 'stdin']), {
    data: () => undefined,
    ended: () => undefined,
  });
  const bytes = Buffer.alloc((16 << 20) + 3, 'abc');
  streams.send('stdin', bytes);
  streams.end('stdin');
  await once(socket.end(), 'finish');
  const [pieces, ended]: [Buffer[], number[]] = [[], []];
  const frames = new FrameReader({
    data: (_id, piece) => void pieces.push(piece),
    ended: (id) => void ended.push(id),
    ping: () => undefined,
  });
  for (const each of written) frames.take(each);
  expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
  expect(ended).toEqual([3]);
});
