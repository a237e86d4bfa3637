import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { dialMessage, isUnverified } from './dial-errors.js';

const failure = (code: string, rest: object = {}) => Object.assign(new Error('as Node says it'), { code, ...rest });

it.each([
  [failure('ECONNREFUSED', { address: '10.0.0.1', port: 1 }), 'dial tcp 10.0.0.1:1: connect: connection refused'],
  [failure('EHOSTUNREACH', { address: 'fd00::1', port: 1 }), 'dial tcp [fd00::1]:1: connect: no route to host'],
  [failure('ETIMEDOUT', { address: '10.0.0.1', port: 1 }), 'dial tcp 10.0.0.1:1: i/o timeout'],
  [failure('ENOTFOUND', { hostname: 'node.invalid' }), 'dial tcp: lookup node.invalid: no such host'],
  [
    failure('DEPTH_ZERO_SELF_SIGNED_CERT'),
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  ],
  [failure('ECONNRESET'), 'EOF'],
  [failure('ELSE'), 'as Node says it'],
  ['gone', 'gone'],
])('%s', (error, message) => {
  expect(dialMessage(error)).toBe(message);
});

it.each([
  ['DEPTH_ZERO_SELF_SIGNED_CERT', true],
  ['CERT_HAS_EXPIRED', true],
  ['ERR_TLS_CERT_ALTNAME_INVALID', true],
  ['ECONNREFUSED', false],
])('%s is of a certificate that could not be verified: %s', (code, expected) => {
  expect(isUnverified(failure(code))).toBe(expected);
  expect(isUnverified(new AggregateError([failure(code)]))).toBe(expected);
});

it('tells the first of several failures, as of a name with two addresses', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const socket = connect({ host: 'localhost', port, autoSelectFamily: true });
  const error = await new Promise((resolve) => socket.once('error', resolve));
  expect(dialMessage(error)).toMatch(/^dial tcp (127\.0\.0\.1|\[::1\]):\d+: connect: connection refused$/);
});
