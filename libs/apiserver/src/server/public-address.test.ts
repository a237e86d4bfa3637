import { expect, it } from 'vitest';
import { publicAddressOf } from './addresses.js';

const NOTHING = { publicUrl: undefined, advertiseHost: [], advertiseAddress: undefined, bindAddress: '127.0.0.1' };
const LOOPBACK = 'https://127.0.0.1:6443';

it.each([
  ['listens on a loopback address', {}, LOOPBACK],
  ['has a URL', { publicUrl: 'https://api.example.com/' }, 'https://api.example.com'],
  ['has names', { advertiseHost: ['api.example.com', 'b'] }, 'https://api.example.com:6443'],
  ['has an address', { bindAddress: '0.0.0.0', advertiseAddress: '192.0.2.9' }, 'https://192.0.2.9:6443'],
  ['has an address of IPv6', { advertiseAddress: '2001:db8::1' }, 'https://[2001:db8::1]:6443'],
])('a server that %s is told of by that', (_what, options, expected) => {
  expect(publicAddressOf({ ...NOTHING, ...options }, 6443, LOOPBACK)).toBe(expected);
});

it.each(['0.0.0.0', '::'])('a server that listens on %s tells no loopback address', (bindAddress) => {
  expect(publicAddressOf({ ...NOTHING, bindAddress }, 6443, 'https://127.0.0.1:6443')).not.toMatch(
    /127\.0\.0\.1|\[::1\]/,
  );
});
