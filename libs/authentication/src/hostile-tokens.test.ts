import { generateKeyPairSync } from 'node:crypto';
import type { Socket } from 'node:net';
import { namesOf, StatusError } from '@orch/machinery';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAuthenticator } from './authenticator.js';
import { TokenFileAuthenticator } from './token-file.js';
import { BootstrapTokens } from './tokens/bootstrap-tokens.js';
import type { ObjectName } from './tokens/bound-objects.js';
import { ServiceAccountTokens } from './tokens/service-account-tokens.js';
import { TokenIssuer } from './tokens/token-issuer.js';
import { signingKeyOf } from './tokens/verification-key.js';

const SEED = Number(process.env.FUZZ_SEED ?? 20261124);
const RUNS = Number(process.env.FUZZ_TOKENS ?? 5_000);
const names = namesOf('kubernetes');
const ISSUER = 'https://issuer.example.org';
const BOOTSTRAP = 'abc123.0123456789abcdef';
const STATIC = 'static-token-of-jane';

const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const key = signingKeyOf(pem.toString());
const issuer = new TokenIssuer({ names, key, issuer: ISSUER, audiences: ['api'], maxSeconds: undefined, extend: true });
const account = { name: 'robot', uid: 'u' };
const grant = { namespace: 'ns', account, audiences: ['api'], expirationSeconds: 3600 };
const REAL = issuer.issue(grant, Date.now());

const secret = {
  uid: 's',
  type: 'bootstrap.kubernetes.io/token',
  data: { 'token-id': 'abc123', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' },
};
const objects = {
  find: ({ kind, name }: ObjectName) =>
    kind === 'Secret'
      ? name === 'bootstrap-token-abc123'
        ? secret
        : undefined
      : name === 'robot'
        ? { uid: 'u' }
        : undefined,
};
const authenticator = createAuthenticator({
  tokenVerifiers: [
    new TokenFileAuthenticator(`${STATIC},jane,1\n`, 'tokens'),
    new ServiceAccountTokens({
      names,
      keys: [key.verification],
      issuers: [ISSUER],
      audiences: ['api'],
      lookup: true,
      objects,
    }),
    new BootstrapTokens(names, objects),
  ],
  anonymous: true,
});

/** As whom a request with this header is taken; the code of its refusal. @throws whatever is no refusal */
async function callerOf(authorization: string): Promise<string | number> {
  try {
    const { user } = await authenticator.authenticate({ socket: {} as Socket, headers: { authorization } });
    return user.name;
  } catch (error) {
    if (error instanceof StatusError) return error.code;
    throw error;
  }
}

const GOOD = [REAL, BOOTSTRAP, STATIC];
const byte = fc.integer({ min: 0x21, max: 0xff }).map((code) => String.fromCharCode(code));
const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value));
const part = fc.oneof(
  fc.string({ unit: byte, maxLength: 30 }),
  json.map((text) => Buffer.from(text).toString('base64url')),
  fc.constantFrom(...REAL.split('.'), '', '=', 'e30', 'bnVsbA', 'W10'),
  fc
    .record({
      alg: fc.constantFrom('none', 'HS256', 'RS256', 'ES256', '', 1, null),
      kid: fc.constantFrom(key.verification.id, '', 1, '__proto__'),
    })
    .map((header) => Buffer.from(JSON.stringify(header)).toString('base64url')),
);
const made = fc.array(part, { maxLength: 6 }).map((parts) => parts.join('.'));
/** A good token with a piece of it replaced by another. */
const mutated = fc
  .tuple(fc.constantFrom(...GOOD), fc.nat(), fc.nat(3), fc.string({ unit: byte, maxLength: 3 }))
  .map(([token, at, cut, piece]) => {
    const from = at % (token.length + 1);
    return token.slice(0, from) + piece + token.slice(from + cut);
  });
const long = fc.constantFrom('.', 'a', 'A.', '=', 'e30.').map((each) => each.repeat(8_000 / each.length));

test('what they are like is taken for somebody', async () => {
  expect(await Promise.all(GOOD.map((token) => callerOf(`Bearer ${token}`)))).toEqual([
    'system:serviceaccount:ns:robot',
    'system:bootstrap:abc123',
    'jane',
  ]);
});

test('no other token is, whatever is in it, nor for anonymous', async () => {
  const property = fc.asyncProperty(fc.oneof(made, mutated, mutated, long), async (token) => {
    fc.pre(!GOOD.includes(token) && token !== '');
    expect(await callerOf(`Bearer ${token}`), token.slice(0, 200)).toBe(401);
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
});

test('a header that holds no token is anonymous or refused, and nobody else’s', async () => {
  const scheme = fc.constantFrom(
    'Basic',
    'bearer',
    'Bearer',
    'BEARER',
    'Bearer:',
    'Token',
    'Negotiate',
    '',
    ' ',
    'Bearer,',
  );
  const between = fc.constantFrom(' ', '  ', '\t', ', ', '', '\u00a0', ' Bearer ');
  const header = fc.tuple(scheme, between, fc.oneof(made, mutated)).map((parts) => parts.join(''));
  const property = fc.asyncProperty(header, async (text) => {
    fc.pre(!GOOD.some((token) => text.includes(token)));
    expect(['system:anonymous', 401], text.slice(0, 200)).toContain(await callerOf(text));
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
});
