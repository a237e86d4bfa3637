import { describe, expect, it } from 'vitest';
import { impersonated, impersonationOf } from './impersonation.js';
import { serviceAccountOf } from './service-account-name.js';

const ask = (...rawHeaders: string[]) => impersonated(impersonationOf(rawHeaders, 100));

describe('an impersonation', () => {
  it('keeps every value of a header that comes more than once, commas too', () => {
    const user = ask('Impersonate-User', 'bob', 'IMPERSONATE-GROUP', 'a, b', 'X', 'y', 'impersonate-group', 'c');
    expect(user).toEqual({ name: 'bob', groups: ['a, b', 'c', 'system:authenticated'], extra: {} });
  });

  it('reads keys of extra in lower case, decoded, and leaves what is no escape', () => {
    const prefix = 'Impersonate-Extra-';
    const { extra } = ask('Impersonate-User', 'bob', `${prefix}Acme.com%2FProject`, 'one', `${prefix}50%`, 'x');
    expect(extra).toEqual({ 'acme.com/project': ['one'], '50%': ['x'] });
    expect(ask('Impersonate-User', 'b', `${prefix}k`, '1', `${prefix}K`, '2').extra).toEqual({ k: ['1', '2'] });
    expect(Object.keys(ask('Impersonate-User', 'b', `${prefix}__proto__`, '1').extra)).toEqual(['__proto__']);
  });

  it('takes the first user and uid, and bytes as UTF-8', () => {
    const latin1 = Buffer.from('bjørn').toString('latin1');
    const user = ask('Impersonate-User', latin1, 'Impersonate-User', 'root', 'Impersonate-Uid', 'u-1');
    expect([user.name, user.uid]).toEqual(['bjørn', 'u-1']);
  });

  it.each([
    ['bob', [], ['system:authenticated']],
    ['bob', ['dev'], ['dev', 'system:authenticated']],
    ['bob', ['system:authenticated'], ['system:authenticated']],
    ['bob', ['system:unauthenticated', 'dev'], ['system:unauthenticated', 'dev']],
    ['system:anonymous', [], ['system:unauthenticated']],
    ['system:anonymous', ['dev'], ['dev', 'system:unauthenticated']],
    ['system:anonymous', ['system:unauthenticated'], ['system:unauthenticated']],
    [
      'system:serviceaccount:default:builder',
      [],
      ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    ],
    ['system:serviceaccount:default:builder', ['dev'], ['dev', 'system:authenticated']],
    ['system:serviceaccount:Default:builder', [], ['system:authenticated']],
  ])('of %s with groups %j has the groups %j', (name, groups, expected) => {
    const headers = groups.flatMap((group) => ['Impersonate-Group', group]);
    expect(ask('Impersonate-User', name, ...headers).groups).toEqual(expected);
  });

  it.each(['Impersonate-Group', 'Impersonate-Uid', 'Impersonate-Extra-Scopes'])(
    'is a 400 without a user, be it empty: %s',
    (header) => {
      const message = `requested [${header.toLowerCase()} "x"] without impersonating a user`;
      expect(() => ask(header, 'x')).toThrow(message);
      expect(() => ask(header, 'x', 'Impersonate-User', '')).toThrow('without impersonating a user');
    },
  );

  it.each(['Impersonate-Whatever', 'Impersonate-Extra-', 'Impersonate-Users'])('knows no header %s', (header) => {
    expect(() => ask('Impersonate-User', 'bob', header, 'x')).toThrow('is not known');
  });

  it('asks for no more values than it may', () => {
    const headers = Array.from({ length: 4 }, (_, at) => ['Impersonate-Group', `g${at}`]).flat();
    expect(impersonationOf(['Impersonate-User', 'bob', ...headers], 5).groups).toHaveLength(4);
    expect(() => impersonationOf(['Impersonate-User', 'bob', ...headers], 4)).toThrow('more than 4 values');
  });
});

it.each([
  'system:serviceaccount:a',
  'system:serviceaccount:a:b:c',
  'system:serviceaccount::b',
  'x:a:b',
  'system:serviceaccount:a:B',
])('%s is no service account', (name) => expect(serviceAccountOf(name)).toBeUndefined());
