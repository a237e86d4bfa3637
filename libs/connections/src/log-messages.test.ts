import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { logProtocol } from './log-messages.js';

const KEY = { 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==' };

function asked(headers: Record<string, string>) {
  const req = new IncomingMessage(new Socket());
  req.headers = headers;
  return { req };
}

it.each([
  [undefined, undefined],
  ['binary.k8s.io', 'binary.k8s.io'],
  ['v4.channel.k8s.io, base64.binary.k8s.io,binary.k8s.io', 'base64.binary.k8s.io'],
])('of %s', (offered, chosen) => {
  expect(logProtocol(asked({ ...KEY, ...(offered && { 'sec-websocket-protocol': offered }) }))).toBe(chosen);
});

it.each([
  [
    { ...KEY, 'sec-websocket-protocol': 'x' },
    403,
    'requested protocol(s) are not supported: [x]; supports [ binary.k8s.io base64.binary.k8s.io]',
  ],
  [{ ...KEY, 'sec-websocket-version': '8' }, 400, 'Sec-WebSocket-Version must be 13'],
  [{ 'sec-websocket-version': '13' }, 400, 'Sec-WebSocket-Key must be 16 bytes in base64'],
])('refuses %j', (headers, code, message) => {
  expect(() => logProtocol(asked(headers as Record<string, string>))).toThrow(
    expect.objectContaining({ code, message }),
  );
});
