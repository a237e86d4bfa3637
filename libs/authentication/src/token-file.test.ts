import { expect, test } from 'vitest';
import { TokenFileAuthenticator, TokenFileError } from './token-file.js';

test('tokens, users and groups', () => {
  const file = new TokenFileAuthenticator(
    't1,alice,u1,"dev,ops"\nt2,"bob, the builder",u2\nt3,carol,,a,b\n',
    'tokens.csv',
  );
  expect(file.verify('t1')).toEqual({
    user: { name: 'alice', uid: 'u1', groups: ['dev', 'ops', 'system:authenticated'], extra: {} },
    method: 'token',
  });
  expect(file.verify('t2')?.user.name).toBe('bob, the builder');
  expect(file.verify('t3')?.user).toEqual({ name: 'carol', groups: ['a', 'b', 'system:authenticated'], extra: {} });
  for (const unknown of ['', 't', 't11', 'alice', 'T1', '__proto__']) expect(file.verify(unknown)).toBeUndefined();
});

test.each([
  ['t1,alice', 'tokens.csv: line 1: at least 3 columns'],
  ['t1,,u', 'line 1: the user name is empty'],
  ['t1,a,u\n\nt2,b', 'tokens.csv: line 3: at least 3 columns'],
  ['t 1,a,u', 'line 1: the token holds white space'],
  ['t1,a,u\n"t2,a,u', 'line 2: quoted field'],
])('%j is refused', (text, message) => {
  expect(() => new TokenFileAuthenticator(text, 'tokens.csv')).toThrow(TokenFileError);
  expect(() => new TokenFileAuthenticator(text, 'tokens.csv')).toThrow(message);
});

test('of a token that is given twice the last line counts, and a line without one is passed over', () => {
  const file = new TokenFileAuthenticator('t1,a,u\n,b,u\nt1,c,u\n', 'tokens.csv');
  expect(file.verify('t1')?.user.name).toBe('c');
  expect(file.verify('')).toBeUndefined();
  expect(file.warnings).toEqual([
    'tokens.csv: line 2: the token is empty; the line is passed over',
    'tokens.csv: line 3: the token was given before; what is said of it last counts',
  ]);
});

test('errors do not repeat tokens', () => {
  expect(() => new TokenFileAuthenticator('s3cret,,u', 'x')).toThrow(/^(?!.*s3cret)/);
  expect(new TokenFileAuthenticator('s3cret,a,u\ns3cret,b,u', 'x').warnings.join()).not.toContain('s3cret');
});
