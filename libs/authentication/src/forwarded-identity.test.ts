import { expect, it, test } from 'vitest';
import { forwardedIdentity, identityFrom, isIdentityHeader } from './request-header.js';

const JANE = { name: 'jane', groups: ['dev'], uid: '7', extra: { scopes: ['a'] } };
const ENDS_AT = Date.UTC(2030, 0, 2, 3, 4, 5, 678);

test('when a credential ends goes along, to the millisecond, and nothing where it does not', () => {
  const headers = forwardedIdentity(JANE, ENDS_AT);
  expect(headers['x-remote-expires']).toBe('2030-01-02T03:04:05.678Z');
  expect(identityFrom(headers)).toMatchObject({ user: { name: 'jane' }, expiresAt: ENDS_AT });
  expect(forwardedIdentity(JANE)).not.toHaveProperty('x-remote-expires');
  expect(identityFrom(forwardedIdentity(JANE))).not.toHaveProperty('expiresAt');
});

test.each(['', 'soon', 'Infinity', '2030-13-01T00:00:00Z'])('an end that cannot be read, %j, has passed', (text) => {
  expect(identityFrom({ ...forwardedIdentity(JANE), 'x-remote-expires': text })?.expiresAt).toBe(0);
});

test('whether a request is recorded goes along where it is', () => {
  expect(identityFrom(forwardedIdentity(JANE, undefined, true))?.audited).toBe(true);
  expect(forwardedIdentity(JANE)).not.toHaveProperty('x-remote-audited');
  expect(identityFrom({ ...forwardedIdentity(JANE), 'x-remote-audited': 'yes' })).not.toHaveProperty('audited');
});

it.each([
  ...Object.keys(forwardedIdentity(JANE, ENDS_AT, true)),
  'x-remote-extra-',
  'impersonate-user',
  'impersonate-extra-scopes',
])('%s is of the one who sends it, and goes no further', (name) => {
  expect(isIdentityHeader(name)).toBe(true);
});

it.each(['x-remote', 'x-remote-users', 'x-remote-address', 'accept', 'x-forwarded-for'])('%s goes on', (name) => {
  expect(isIdentityHeader(name)).toBe(false);
});
