import { validateHeaderName, validateHeaderValue } from 'node:http';
import { expect, test } from 'vitest';
import { forwardedIdentity, identityFrom } from './request-header.js';

test('an identity survives the way through headers, whatever its characters', () => {
  const user = {
    name: 'jane, ü',
    uid: '42',
    groups: ['dev,ops', 'system:authenticated'],
    extra: { "Scopes/x (ü%2f's)": ['a,b', 'c'] },
  };
  for (const [name, value] of Object.entries(forwardedIdentity(user))) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  }
  const headers = Object.fromEntries(Object.entries(forwardedIdentity(user)).map(([k, v]) => [k.toLowerCase(), v]));
  expect(identityFrom(headers)?.user).toEqual(user);
});

test('without a user name there is no identity', () => {
  expect(identityFrom({ 'x-remote-group': 'system:masters' })).toBeUndefined();
});

test('an anonymous caller stays anonymous', () => {
  const user = { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: {} };
  expect(identityFrom(forwardedIdentity(user))?.user.groups).toEqual(['system:unauthenticated']);
});
