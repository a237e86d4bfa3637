import { EventEmitter, once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { type CutReason, OutgoingConnections } from './outgoing-connections.js';

/** A connection that notes what is set on it. */
function connection(connecting: boolean) {
  const set = { keepAlive: vi.fn(), noDelay: vi.fn() };
  const socket = Object.assign(new EventEmitter(), {
    connecting,
    setKeepAlive: set.keepAlive,
    setNoDelay: set.noDelay,
  });
  return { set, socket: socket as unknown as Socket };
}

it('has an idle connection probed so that its peer is given up within the time', () => {
  const { socket, set } = connection(false);
  new OutgoingConnections({ peerTimeoutMs: 30_000 }).keep(socket);
  expect(set.keepAlive.mock.calls).toEqual([[true, 20_000]]);
  expect(set.noDelay).toHaveBeenCalledWith(true);
});

it('sets the probes once there is a connection', () => {
  const { socket, set } = connection(true);
  new OutgoingConnections({ peerTimeoutMs: 30_000 }).keep(socket);
  expect(set.keepAlive).not.toHaveBeenCalled();
  socket.emit('connect');
  expect(set.keepAlive).toHaveBeenCalledTimes(1);
});

it.each([
  [undefined, 30_000],
  [0, 30_000],
  [5_000, 1_000],
])('has probes for a time of %s too', (peerTimeoutMs, idleMs) => {
  const { socket, set } = connection(false);
  new OutgoingConnections({ ...(peerTimeoutMs !== undefined && { peerTimeoutMs }) }).keep(socket);
  expect(set.keepAlive.mock.calls).toEqual([[true, idleMs]]);
});

it('looks after a connection that is used again once', () => {
  const add = vi.fn();
  const { socket } = connection(false);
  const connections = new OutgoingConnections({ vanished: { add } });
  for (let i = 0; i < 3; i++) connections.keep(socket);
  expect([add.mock.calls.length, socket.listenerCount('error')]).toEqual([1, 1]);
});

it('has a connection that an agent kept for another request probed as before', async () => {
  const server = createServer((_, res) => res.end('ok')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true });
  const connections = new OutgoingConnections({ peerTimeoutMs: 30_000 });
  const probes: unknown[][] = [];
  const ask = async () => {
    const sent = request({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent });
    sent.once('socket', (socket) => {
      if (!sent.reusedSocket) {
        const set = socket.setKeepAlive.bind(socket);
        socket.setKeepAlive = (...how) => {
          probes.push(how);
          return set(...how);
        };
      }
      connections.keep(socket);
    });
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage];
    const before = probes.at(-1);
    await once(answer.resume(), 'close');
    return [sent.reusedSocket, before];
  };
  try {
    expect(await ask()).toEqual([false, [true, 20_000]]);
    await expect.poll(() => probes.at(-1)).toEqual([true, 1_000]);
    expect(await ask()).toEqual([true, [true, 20_000]]);
  } finally {
    agent.destroy();
    server.close();
  }
});

it('counts peers that have vanished, however that was found', () => {
  const cuts: CutReason[] = [];
  const given: (() => void)[] = [];
  const connections = new OutgoingConnections({
    vanished: { add: (_socket, onVanished = () => undefined) => void given.push(onVanished) },
    onCut: (reason) => cuts.push(reason),
  });
  const { socket } = connection(false);
  connections.keep(socket);
  given[0]?.();
  socket.emit('error', Object.assign(new Error('gone'), { code: 'ETIMEDOUT' }));
  socket.emit('error', Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
  expect(cuts).toEqual(['vanished', 'vanished']);
});
