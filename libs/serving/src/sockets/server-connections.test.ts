import { EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LATE_MS, ServerConnections } from './server-connections.js';

let server: EventEmitter;
let connections: ServerConnections;
let ports = 0;
beforeEach(() => {
  vi.useFakeTimers();
  server = new EventEmitter();
});
afterEach(() => {
  connections.stop();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

class Connection extends EventEmitter {
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort = ++ports;
  writableFinished = false;
  destroyed = false;
  timeout = 0;
  _httpMessage: object | null = null;

  constructor(
    at = 'connection',
    readonly alpnProtocol = 'http/1.1',
  ) {
    super();
    server.emit(at, this);
  }

  setTimeout(ms: number): void {
    this.timeout = ms;
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

const begin = (isSecure = false) => {
  connections = new ServerConnections(server as Server, isSecure);
};
const ask = (socket: Connection, how = 'request', httpVersionMajor = 1) =>
  server.emit(how, { socket, httpVersionMajor }, {});
/** What has become of connections after some looks of an ending server. */
const after = (looks: number, ...each: Connection[]) => {
  connections.letGo();
  vi.advanceTimersByTime(looks * LATE_MS);
  return each.map(({ destroyed }) => destroyed);
};

it('one on which nothing was asked has a while for that, and one that is not secured for its handshake', () => {
  begin(true);
  const [handshaking, secured] = [new Connection(), new Connection()];
  server.emit('secureConnection', secured);
  connections.letGo();
  vi.advanceTimersByTime(LATE_MS - 1);
  expect([handshaking.destroyed, secured.destroyed]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect([handshaking.destroyed, secured.destroyed]).toEqual([true, true]);
});

it('one between two requests has a while for the next, and one with an answer all the time', () => {
  begin();
  const [idle, busy] = [new Connection(), new Connection()];
  busy._httpMessage = {};
  for (const each of [idle, busy]) ask(each);
  expect(after(5, idle, busy)).toEqual([false, false]);
  expect([idle.timeout, busy.timeout]).toEqual([LATE_MS, 0]);
});

it.each(['upgrade', 'connect'])('one that goes on with another protocol is left to that: %s', (how) => {
  begin();
  const socket = new Connection();
  ask(socket);
  ask(socket, how);
  expect(after(5, socket)).toEqual([false]);
  expect(socket.timeout).toBe(0);
});

it('one of HTTP/2 is left to its sessions, whatever requests come over it', () => {
  begin(true);
  const socket = new Connection('connection', 'h2');
  server.emit('secureConnection', socket);
  ask(socket, 'request', 2);
  expect(after(5, socket)).toEqual([false]);
  expect(socket.timeout).toBe(0);
});

it('one that the server has ended has a while to be closed', () => {
  begin();
  const ended = new Connection();
  ask(ended, 'upgrade');
  ended.writableFinished = true;
  expect(after(1, ended)).toEqual([false]);
  vi.advanceTimersByTime(LATE_MS);
  expect(ended.destroyed).toBe(true);
});

it('is told by its next answer that there will be no other', () => {
  begin();
  const keptAlive = (httpVersionMajor: number) => {
    const res = { shouldKeepAlive: true };
    server.emit('request', { socket: {}, httpVersionMajor }, res);
    return res.shouldKeepAlive;
  };
  expect(keptAlive(1)).toBe(true);
  connections.letGo();
  expect([keptAlive(1), keptAlive(2)]).toEqual([false, true]);
});

it('none is kept that has closed', () => {
  begin(true);
  const [handshaking, secured] = [new Connection(), new Connection('secureConnection')];
  for (const each of [handshaking, secured]) each.emit('close');
  expect(after(2, handshaking, secured)).toEqual([false, false]);
});
