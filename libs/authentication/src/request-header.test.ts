import { validateHeaderName, validateHeaderValue } from 'node:http';
import { expect, test } from 'vitest';
import { forwardedIdentity, identityFrom, plainIdentity, requestHeaderNames } from './request-header.js';

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
  expect(identityFrom({ 'x-remote-encoding': 'percent', 'x-remote-group': 'system:masters' })).toBeUndefined();
});

test('values whose encoding is not known name nobody', () => {
  const forwarded = forwardedIdentity({ name: 'jane', groups: [], extra: {} });
  for (const encoding of [undefined, '', 'PERCENT', 'percent, percent', 'other'])
    expect(identityFrom({ ...forwarded, 'x-remote-encoding': encoding })).toBeUndefined();
});

test('plain names are read as UTF-8, and stay apart where they are none', () => {
  const names = requestHeaderNames(['X-Remote-User'], [], []);
  const read = (bytes: Buffer) => plainIdentity(['X-REMOTE-User', bytes.toString('latin1')], names)?.user.name;
  expect(read(Buffer.from('jörg'))).toBe('jörg');
  expect(read(Buffer.from([0x61, 0xff]))).not.toBe(read(Buffer.from([0x61, 0xfe])));
});

test('an anonymous caller stays anonymous', () => {
  const user = { name: 'system:anonymous', groups: ['system:unauthenticated'], extra: {} };
  expect(identityFrom(forwardedIdentity(user))?.user.groups).toEqual(['system:unauthenticated']);
});
