import { DatabaseError, type Connection as Wire } from 'pg';
import { describe, expect, it } from 'vitest';
import { ConnectionLostError } from '../connections/failures.js';
import { CopyStream } from './copy-stream.js';

const HEADER = 19;
const LIMITS = { rows: 10, bytes: 1_000 };

/** A copy of rows that are told by their size, over a connection that notes whether its socket is read. */
function setUp() {
  const socket = { isRead: true };
  const stream = {
    pause: () => {
      socket.isRead = false;
    },
    resume: () => {
      socket.isRead = true;
    },
  };
  const copy = new CopyStream('COPY', (message, at) => message.length - at, LIMITS);
  copy.submit({ stream, query: () => undefined } as unknown as Wire);
  let first = true;
  const row = (bytes: number) => {
    const chunk = Buffer.alloc(bytes + (first ? HEADER : 0));
    first = false;
    copy.handleCopyData({ chunk });
  };
  return { socket, copy, row };
}

describe('a copy that nobody reads', () => {
  it('stops the socket once as many bytes wait as may, and goes on when all of them were taken', async () => {
    const { socket, copy, row } = setUp();
    row(900);
    expect(socket.isRead).toBe(true);
    row(100);
    expect(socket.isRead).toBe(false);
    expect(await copy.next()).toEqual([900, 100]);
    expect(socket.isRead).toBe(true);
    row(999);
    expect(socket.isRead).toBe(true);
  });

  it('stops the socket once two pages of rows wait, however small they are', async () => {
    const { socket, copy, row } = setUp();
    for (let i = 0; i < 19; i++) row(10);
    expect(socket.isRead).toBe(true);
    row(10);
    expect(socket.isRead).toBe(false);
    expect(await copy.next()).toHaveLength(10);
    // Half of them wait still.
    expect(socket.isRead).toBe(false);
    expect(await copy.next()).toHaveLength(10);
    expect(socket.isRead).toBe(true);
  });

  it('is read on without keeping anything when it is not wanted any more, up to a bound', async () => {
    const { socket, copy, row } = setUp();
    row(2_000);
    expect(socket.isRead).toBe(false);
    const discarded = copy.discard(500);
    expect(socket.isRead).toBe(true);
    row(400);
    row(400);
    expect(await discarded).toBe(false);
    copy.handleReadyForQuery();
    expect(await copy.next()).toBeUndefined();
  });

  it('leaves a socket that is read to what comes next on the connection, also when it fails', async () => {
    const { socket, copy, row } = setUp();
    row(2_000);
    copy.handleError(new DatabaseError('cancelled', 9, 'error'));
    expect(socket.isRead).toBe(true);
    await expect(copy.next()).rejects.toThrow('cancelled');
  });

  it('fails with a lost connection where the database has said nothing', async () => {
    const { copy } = setUp();
    copy.handleError(new Error('Connection terminated unexpectedly'));
    await expect(copy.next()).rejects.toBeInstanceOf(ConnectionLostError);
  });
});
