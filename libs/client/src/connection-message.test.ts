import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { connectionMessage } from './connection-message.js';

it('tells of a server that speaks no TLS without telling of this process', async () => {
  const server = createServer((socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const error = await new Promise<Error>((resolve) => socket.once('error', resolve));
  server.close();
  expect(error.message).toContain(':error:');
  expect(connectionMessage(error)).toMatch(/^(write EPROTO )?wrong version number$/);
});

it.each([
  [new Error('connect ECONNREFUSED 127.0.0.1:1'), 'connect ECONNREFUSED 127.0.0.1:1'],
  ['gone', 'gone'],
])('is the message of any other: %s', (error, message) => {
  expect(connectionMessage(error)).toBe(message);
});
