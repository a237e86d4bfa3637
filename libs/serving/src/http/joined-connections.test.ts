import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cutOff, type RequestContext } from './context.js';
import { pump, switchProtocols } from './joined-connections.js';

/** More than the kernel takes for a peer that does not read. */
const MORE = Buffer.alloc(32 << 20);

function splitHead(bytes: Buffer): [head: Buffer, rest: Buffer] {
  const end = bytes.indexOf('\r\n\r\n') + 4;
  return [bytes.subarray(0, end), bytes.subarray(end)];
}

describe('joined connections', () => {
  let server: Server;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(() => {
    vi.useRealTimers();
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
  });

  /** Two ends of a connection; the far one does not read yet. */
  async function pair(): Promise<{ near: Socket; far: Socket }> {
    const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [far] = (await once(server, 'connection')) as [Socket];
    for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined));
    return { near, far };
  }

  async function joined(unreadMs?: number) {
    const client = await pair();
    const other = await pair();
    const req = new IncomingMessage(client.near);
    const res = new ServerResponse(req);
    res.assignSocket(client.near);
    const ctx = { req, res, requestId: 'id' } as RequestContext;
    const head = Buffer.alloc(0);
    const answer = new IncomingMessage(new Socket());
    switchProtocols(ctx, { socket: client.near, head }, answer, { socket: other.near, head }, unreadMs);
    pump(other.near, client.near);
    return { ctx, client, other };
  }

  it.each(['client', 'other'] as const)('end 10 s behind the %s at most where nobody reads', async (leaver) => {
    const { client, other } = await joined();
    const [left, stays] = leaver === 'client' ? [client, other] : [other, client];
    stays.near.write(MORE);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    left.far.resume().end();
    await once(left.near, 'close');
    vi.advanceTimersByTime(9_999);
    expect(stays.near.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(stays.near.destroyed).toBe(true);
  });

  it.each([0, 3_600_000])('leave a client the time that it is given to read the rest (%s)', async (unreadMs) => {
    const { client, other } = await joined(unreadMs);
    client.near.write(MORE);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    other.far.resume().end();
    await once(other.near, 'close');
    vi.advanceTimersByTime(3_599_999);
    expect(client.near.destroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(client.near.destroyed).toBe(unreadMs !== 0);
  });

  it('pass on what was read before the other one broke', async () => {
    const { client, other } = await joined();
    client.near.write(MORE);
    const closed = new Promise((resolve) => other.near.once('close', resolve));
    other.far.resetAndDestroy();
    await closed;
    let read = 0;
    client.far.on('data', (bytes: Buffer) => {
      read += bytes.length;
    });
    await once(client.far.resume(), 'end');
    expect(read).toBeGreaterThan(MORE.length);
  });

  it('end where the other one is silent for 10 s behind the end of its client', async () => {
    const { client, other } = await joined();
    const bound = vi.spyOn(other.near, 'setTimeout');
    for (const socket of [client.near, other.far]) socket.allowHalfOpen = true;
    other.far.resume();
    client.far.end();
    await once(other.far, 'end');
    expect(bound).toHaveBeenCalledExactlyOnceWith(10_000, expect.any(Function));
    expect(client.near.destroyed).toBe(false);
    const ended = once(client.far.resume(), 'end');
    other.near.emit('timeout');
    await ended;
    expect(other.near.destroyed).toBe(true);
  });

  it('end behind what was read, for one that reads', async () => {
    const { client, other } = await joined();
    other.near.write(MORE);
    client.far.resume().end();
    await once(client.near, 'close');
    let read = 0;
    other.far.on('data', (bytes: Buffer) => {
      read += bytes.length;
    });
    other.far.resume();
    await once(other.far, 'end');
    expect(read).toBe(MORE.length);
  });

  it('pass on the rest of the other one to a client that still sends', async () => {
    const { client, other } = await joined();
    const send = (): void => void client.far.write(MORE, (error) => error ?? send());
    send();
    other.far.resume().end(MORE);
    let read = 0;
    client.far.on('data', (bytes: Buffer) => {
      read += bytes.length;
      client.far.pause();
      setTimeout(() => client.far.resume(), 1);
    });
    await new Promise((resolve) => client.far.resume().once('end', resolve).once('close', resolve));
    expect(read).toBeGreaterThan(MORE.length);
  });

  it('pass on bytes as they are, both ways at once', async () => {
    const { client, other } = await joined();
    for (const { near, far } of [client, other]) near.allowHalfOpen = far.allowHalfOpen = true;
    const sides = [client.far, other.far].map((far) => ({ far, sent: randomBytes(3 << 20), got: [] as Buffer[] }));
    for (const { far, sent, got } of sides) {
      far.on('data', (bytes: Buffer) => got.push(bytes));
      far.resume().end(sent);
    }
    await Promise.all(sides.map(({ far }) => once(far, 'end')));
    const [head, fromOther] = splitHead(Buffer.concat(sides[0]?.got ?? []));
    expect(head.toString()).toContain('101 Switching Protocols');
    expect(fromOther.equals(sides[1]?.sent ?? head)).toBe(true);
    expect(Buffer.concat(sides[1]?.got ?? []).equals(sides[0]?.sent ?? head)).toBe(true);
  });

  it('keep little of what a peer does not read', async () => {
    const { client, other } = await joined();
    client.far.write(MORE);
    client.far.resume();
    let before = -1;
    // Nothing more is read once the system takes nothing more.
    await expect
      .poll(() => {
        const isStill = before === client.near.bytesRead;
        before = client.near.bytesRead;
        return isStill && client.near.isPaused();
      })
      .toBe(true);
    expect(other.near.writableLength).toBeGreaterThan(0);
    expect(other.near.writableLength).toBeLessThanOrEqual(256 << 10);
    expect(before).toBeLessThan(MORE.length);
  });

  it('end at once where the request is cut off', async () => {
    const { ctx, client, other } = await joined();
    other.near.write(MORE);
    const closed = once(other.near, 'close');
    cutOff(ctx);
    await closed;
    expect(client.near.destroyed).toBe(true);
  });
});
