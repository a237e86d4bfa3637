import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cutOff, type RequestContext } from './context.js';
import { pump, switchProtocols } from './joined-connections.js';

/** More than the kernel takes for a peer that does not read. */
const MORE = Buffer.alloc(32 << 20);

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

  async function joined() {
    const client = await pair();
    const other = await pair();
    const req = new IncomingMessage(client.near);
    const res = new ServerResponse(req);
    res.assignSocket(client.near);
    const ctx = { req, res, requestId: 'id' } as RequestContext;
    const head = Buffer.alloc(0);
    const answer = new IncomingMessage(new Socket());
    switchProtocols(ctx, { socket: client.near, head }, answer, { socket: other.near, head });
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

  it('end at once where the request is cut off', async () => {
    const { ctx, client, other } = await joined();
    other.near.write(MORE);
    const closed = once(other.near, 'close');
    cutOff(ctx);
    await closed;
    expect(client.near.destroyed).toBe(true);
  });
});
