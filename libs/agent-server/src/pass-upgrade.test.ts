import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { passUpgrade } from './pass-upgrade.js';

let runtime: Server;
let port: Server;
let target = '';
let seen: IncomingHttpHeaders = {};
let ended: Promise<unknown> | undefined;

const listen = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });

/** Sends a request and what follows it in one piece; resolves with all that comes back. */
function exchange(url: string, more: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port: number, hostname } = new URL(url);
    const client = connect(Number(number), hostname);
    let text = '';
    client.on('data', (bytes) => {
      text += bytes;
      if (text.endsWith('BYE')) client.end();
    });
    client.once('error', reject);
    client.once('close', () => resolve(text));
    const head = [
      'POST /exec HTTP/1.1',
      'Host: a',
      'Connection: Upgrade',
      'Upgrade: SPDY/3.1',
      'Authorization: secret',
    ];
    client.write(`${head.join('\r\n')}\r\n\r\n${more}`);
  });
}

beforeEach(async () => {
  ended = undefined;
  runtime = createServer((_req, res) => res.writeHead(400).end('no such container'));
  runtime.on('upgrade', (req, socket: Socket, head) => {
    seen = req.headers;
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\nfirst');
    socket.write(head);
    socket.on('data', (bytes) => socket.write(bytes));
    socket.once('end', () => socket.end());
  });
  port = createServer();
  port.on('upgrade', (req, socket: Socket, head) => {
    ended = passUpgrade({ req, socket, head }, target, 0);
    ended.catch(() => socket.destroy());
  });
});

afterEach(() => {
  for (const server of [runtime, port]) {
    server.closeAllConnections();
    server.close();
  }
});

describe('a connection that is passed on to the runtime', () => {
  it('has its bytes unchanged, also those that came with the request, and no credentials', async () => {
    target = `${await listen(runtime)}/exec/token`;
    const text = await exchange(await listen(port), 'begun BYE');
    expect(text).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n[\s\S]*\r\n\r\nfirstbegun BYE$/);
    expect(seen.upgrade).toBe('SPDY/3.1');
    expect(seen.authorization).toBeUndefined();
    await ended;
  });

  it('is refused in the words of the runtime', async () => {
    runtime.removeAllListeners('upgrade');
    target = `${await listen(runtime)}/exec/token`;
    expect(await exchange(await listen(port), '')).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*no such container$/);
    await ended;
  });

  it('fails where the runtime cannot be reached', async () => {
    const url = await listen(runtime);
    await new Promise((resolve) => void runtime.close(resolve));
    target = `${url}/exec/token`;
    await exchange(await listen(port), '');
    await expect(ended).rejects.toThrow(/error dialing the runtime: .*ECONNREFUSED/);
  });
});
