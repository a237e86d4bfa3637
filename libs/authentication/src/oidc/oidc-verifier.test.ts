import { createHmac, createPublicKey, type KeyObject, type webcrypto } from 'node:crypto';
import fc from 'fast-check';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OidcVerifier } from './oidc-verifier.js';
import type { OidcSettings } from './settings.js';

const ISSUER = 'https://issuer.example/realm';
const NOW = Date.parse('2030-01-01T00:00:00Z');

interface Signer {
  readonly kid: string;
  readonly alg: string;
  readonly key: webcrypto.CryptoKey;
  readonly jwk: JWK;
}

let one: Signer;
let two: Signer;
let documents: Map<string, unknown>;
let asked: string[];
let clock: number;
let errors: unknown[];

async function signer(kid: string, alg = 'RS256'): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

const DISCOVERY = `${ISSUER}/.well-known/openid-configuration`;
const KEYS = 'https://keys.example/jwks';
const publish = (...keys: JWK[]) => documents.set(KEYS, { keys });

beforeAll(async () => {
  [one, two] = await Promise.all([signer('one'), signer('two')]);
});
beforeEach(() => {
  [clock, asked, errors] = [NOW, [], []];
  documents = new Map<string, unknown>([[DISCOVERY, { issuer: ISSUER, jwks_uri: KEYS }]]);
  publish(one.jwk);
});

const read = async (url: string, token?: string) => {
  asked.push(token === undefined ? url : `${url} ${token}`);
  const document = documents.get(url);
  if (document === undefined) throw new Error(`GET ${url}: 503`);
  return Buffer.from(typeof document === 'string' ? document : JSON.stringify(document));
};

const SETTINGS: OidcSettings = {
  issuerUrl: ISSUER,
  clientId: 'cluster',
  usernameClaim: 'sub',
  groupsClaim: 'groups',
  requiredClaims: new Map(),
  signingAlgorithms: ['RS256'],
};

async function verifierOf(settings: Partial<OidcSettings> = {}): Promise<OidcVerifier> {
  const services = { read, onError: (error: unknown) => errors.push(error), now: () => clock };
  const verifier = new OidcVerifier({ ...SETTINGS, ...settings }, services);
  await verifier.start();
  return verifier;
}

const CLAIMS = { iss: ISSUER, aud: 'cluster', sub: 'jane', exp: NOW / 1000 + 60 };
const sign = (claims: Record<string, unknown> = {}, by: Signer = one, header: Record<string, unknown> = {}) =>
  new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader({ alg: by.alg, kid: by.kid, ...header }).sign(by.key);

describe('whom a token stands for', () => {
  it.each<[string, Partial<OidcSettings>, Record<string, unknown>, object]>([
    ['the subject of the issuer', {}, {}, { name: `${ISSUER}#jane` }],
    ['no prefix', { usernamePrefix: '-' }, {}, { name: 'jane' }],
    ['a prefix', { usernamePrefix: 'oidc:' }, {}, { name: 'oidc:jane' }],
    ['an address, without a prefix', { usernameClaim: 'email' }, { email: 'j@x' }, { name: 'j@x' }],
    [
      'a verified address',
      { usernameClaim: 'email', usernamePrefix: 'e:' },
      { email: 'j@x', email_verified: true },
      { name: 'e:j@x' },
    ],
    ['another claim', { usernameClaim: 'login' }, { login: 'j' }, { name: `${ISSUER}#j` }],
    ['groups', {}, { groups: ['a', 'b'] }, { groups: ['a', 'b', 'system:authenticated'] }],
    ['one group', {}, { groups: 'a' }, { groups: ['a', 'system:authenticated'] }],
    ['groups with a prefix', { groupsPrefix: 'g:' }, { groups: ['a'] }, { groups: ['g:a', 'system:authenticated'] }],
    ['several audiences', {}, { aud: ['x', 'cluster'] }, { name: `${ISSUER}#jane` }],
    ['another authorized party', {}, { azp: 'someone' }, { name: `${ISSUER}#jane` }],
    ['a claim that is required', { requiredClaims: new Map([['hd', 'x']]) }, { hd: 'x' }, { name: `${ISSUER}#jane` }],
    ['a beginning within a minute', {}, { nbf: NOW / 1000 + 59 }, { name: `${ISSUER}#jane` }],
  ])('%s', async (_, settings, claims, user) => {
    const verifier = await verifierOf(settings);
    const known = await verifier.verify(await sign(claims));
    expect(known).toMatchObject({ user, method: 'token', expiresAt: NOW + 60_000 });
  });

  it('Google leaves the scheme away', async () => {
    const issuer = 'https://accounts.google.com';
    documents.set(`${issuer}/.well-known/openid-configuration`, { issuer, jwks_uri: KEYS });
    const verifier = await verifierOf({ issuerUrl: issuer });
    expect((await verifier.verify(await sign({ iss: 'accounts.google.com' })))?.user.name).toBe(`${issuer}#jane`);
  });

  it.each<[string, Partial<OidcSettings>, Record<string, unknown>, string]>([
    ['another audience', {}, { aud: 'other' }, 'expected audience "cluster" got ["other"]'],
    ['no audience', {}, { aud: undefined }, 'audience'],
    ['an end that has come', {}, { exp: NOW / 1000 - 1 }, 'token is expired'],
    ['no end', {}, { exp: undefined }, 'token is expired'],
    ['an end that is no time', {}, { exp: '2040' }, 'exp is not a time'],
    ['a beginning to come', {}, { nbf: NOW / 1000 + 61 }, 'before the nbf'],
    ['no name', { usernameClaim: 'login' }, {}, 'parse username claims "login": claim not present'],
    ['a name that is none', {}, { sub: 7 }, 'it is not a string'],
    ['an empty name without a prefix', { usernamePrefix: '-' }, { sub: '' }, 'it is empty'],
    [
      'an address that is not verified',
      { usernameClaim: 'email' },
      { email: 'j@x', email_verified: false },
      'oidc: email not verified',
    ],
    [
      'an address that is "true"',
      { usernameClaim: 'email' },
      { email: 'j@x', email_verified: 'true' },
      'not a boolean',
    ],
    ['groups that are none', {}, { groups: [1] }, 'neither a string nor a list'],
    ['a missing claim', { requiredClaims: new Map([['hd', 'x']]) }, {}, 'required claim hd not present in ID token'],
    ['another value of a claim', { requiredClaims: new Map([['hd', 'x']]) }, { hd: 'y' }, 'value does not match'],
    ['a claim in a list', { requiredClaims: new Map([['hd', 'x']]) }, { hd: ['x'] }, 'not a string'],
    ['a claim that every object has', { usernameClaim: 'constructor' }, {}, 'claim not present'],
  ])('is refused: %s', async (_, settings, claims, message) => {
    const verifier = await verifierOf(settings);
    await expect(verifier.verify(await sign(claims))).rejects.toThrow(message);
  });

  it('no tokens of others', async () => {
    const verifier = await verifierOf();
    const long = `${'a'.repeat(70_000)}.e30.x`;
    for (const token of ['x', 'a.b.c', '..', long, await sign({ iss: `${ISSUER}/` }), await sign({ iss: undefined })])
      expect(await verifier.verify(token)).toBeUndefined();
    expect(asked).toEqual([DISCOVERY, KEYS]);
  });
});

describe('forged tokens', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const forged = (header: object, signature: (input: string) => string = () => '') => {
    const input = `${encode(header)}.${encode(CLAIMS)}`;
    return `${input}.${signature(input)}`;
  };
  const withPublicKey = (text: string | Buffer) => (input: string) =>
    createHmac('sha256', text).update(input).digest('base64url');

  it('are refused whatever their header says', async () => {
    const verifier = await verifierOf();
    const publicKey: KeyObject = createPublicKey({ key: one.jwk, format: 'jwk' } as Parameters<
      typeof createPublicKey
    >[0]);
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    const tokens = [
      forged({ alg: 'none' }),
      forged({ alg: 'None', kid: 'one' }),
      forged({ alg: 'HS256', kid: 'one' }, withPublicKey(pem)),
      forged({ alg: 'HS256', kid: 'one' }, withPublicKey(pem.toString().trim())),
      forged({ alg: 'HS256', kid: 'one' }, withPublicKey(JSON.stringify(one.jwk))),
      forged({ alg: 'RS256', kid: 'one' }, withPublicKey(pem)),
      forged({}),
      await sign({}, two, { jku: 'https://evil.example/jwks' }),
      await sign({}, two, { kid: 'one' }),
      await sign({}, two, { kid: undefined }),
      await sign({}, two, { jwk: two.jwk }),
      await sign({}, two, { kid: '../../../dev/null' }),
      await sign({}, two, { kid: "one' OR '1'='1" }),
      await sign({}, two, { kid: '__proto__' }),
      await sign({}, two, { x5u: 'https://evil.example/crt', x5c: ['AAAA'] }),
      (await sign()).replace(/\.[^.]*$/, '.'),
      (await sign())
        .split('.')
        .with(1, encode({ ...CLAIMS, sub: 'admin' }))
        .join('.'),
    ];
    for (const token of tokens) {
      clock += 2_000;
      await expect(verifier.verify(token), token).rejects.toThrow(/^oidc: verify token: /);
    }
    expect(new Set(asked)).toEqual(new Set([DISCOVERY, KEYS]));
  });

  it('are refused when any character of a good one is another', async () => {
    const token = await sign();
    const [, , signature = ''] = token.split('.');
    for (let at = 0; at < token.length; at++) {
      const verifier = await verifierOf();
      const other = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      // Of the last character of a signature some bits say nothing.
      const same = Buffer.from(other.split('.')[2] ?? '', 'base64url').equals(Buffer.from(signature, 'base64url'));
      if (same && at === token.length - 1) continue;
      expect(await verifier.verify(other).catch(() => undefined), `${at}`).toBeUndefined();
    }
  }, 60_000);

  it('and other texts never make it fail otherwise', async () => {
    const verifier = await verifierOf();
    const part = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.json().map((text) => Buffer.from(text).toString('base64url')),
    );
    const texts = fc.array(part, { maxLength: 5 }).map((parts) => parts.join('.'));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const found = await verifier.verify(text).catch((error: unknown) => error);
        expect(found === undefined || String(found).startsWith('Error: oidc: ')).toBe(true);
      }),
      { seed: 14, numRuns: 2_000 },
    );
  });

  it('are refused when keys of the issuer are of another kind than the algorithm', async () => {
    publish({ kty: 'oct', k: Buffer.from('shared').toString('base64url'), kid: 'one', alg: 'HS256' });
    const verifier = await verifierOf();
    const token = forged({ alg: 'HS256', kid: 'one' }, withPublicKey('shared'));
    await expect(verifier.verify(token)).rejects.toThrow('unsupported algorithm');
  });

  it('are refused with an algorithm that is not accepted, and taken with one that is', async () => {
    const es = await signer('es', 'ES256');
    publish(one.jwk, es.jwk);
    const token = await sign({}, es);
    await expect((await verifierOf()).verify(token)).rejects.toThrow('unsupported algorithm');
    expect(await (await verifierOf({ signingAlgorithms: ['ES256'] })).verify(token)).toBeDefined();
  });

  it('are not found good by a key that is not for signatures', async () => {
    publish({ ...one.jwk, use: 'enc' });
    await expect((await verifierOf()).verify(await sign())).rejects.toThrow('failed to verify');
  });
});

describe('keys', () => {
  it('are fetched again for a token that is signed with another, at most once a second', async () => {
    const verifier = await verifierOf();
    const token = await sign({}, two);
    publish(one.jwk, two.jwk);
    await expect(verifier.verify(token)).rejects.toThrow('failed to verify id token signature');
    clock += 1_000;
    expect(await Promise.all([verifier.verify(token), verifier.verify(token)])).toHaveLength(2);
    expect(asked.filter((url) => url === KEYS)).toHaveLength(2);
    for (let i = 0; i < 50; i++) await verifier.verify(await sign({}, one, { kid: `${i}` })).catch(() => undefined);
    expect(asked.filter((url) => url === KEYS)).toHaveLength(2);
  });

  it('that are gone hold no more once others are known, also for tokens that were good', async () => {
    const verifier = await verifierOf();
    const [old, young] = [await sign(), await sign({}, two)];
    await verifier.verify(old);
    publish(two.jwk);
    clock += 1_000;
    await verifier.verify(young);
    await expect(verifier.verify(old)).rejects.toThrow('failed to verify');
  });

  it('that are gone hold no more after a while, though no other token comes', async () => {
    const verifier = await verifierOf();
    const token = await sign({ exp: NOW / 1000 + 3_600 });
    await verifier.verify(token);
    publish(two.jwk);
    clock += 600_001;
    await verifier.verify(token);
    await expect.poll(() => verifier.verify(token).catch(String)).toContain('failed to verify');
  });

  it('without a name are all tried', async () => {
    const { kid: _, ...unnamed } = two.jwk;
    const { kid: __, ...first } = one.jwk;
    publish(first, unnamed, { kty: 'RSA', n: 'AA', e: 'AA' });
    const verifier = await verifierOf();
    expect(await verifier.verify(await sign({}, two, { kid: undefined }))).toBeDefined();
    await expect(verifier.verify(await sign({}, await signer('three'), { kid: undefined }))).rejects.toThrow();
  });

  it('beyond the hundredth are not looked at', async () => {
    publish(...Array.from({ length: 100 }, (_, at) => ({ ...two.jwk, kid: `${at}` })), one.jwk);
    const verifier = await verifierOf();
    await expect(verifier.verify(await sign())).rejects.toThrow('failed to verify');
  });

  it('are kept when the issuer goes', async () => {
    const verifier = await verifierOf();
    documents.clear();
    clock += 5_000;
    expect(await verifier.verify(await sign())).toBeDefined();
    await expect(verifier.verify(await sign({}, two))).rejects.toThrow(
      'fetching keys GET https://keys.example/jwks: 503',
    );
  });
});

describe('an issuer', () => {
  it.each<[string, () => void]>([
    ['that is down', () => documents.delete(DISCOVERY)],
    ['whose keys cannot be had', () => documents.delete(KEYS)],
    ['that is another', () => documents.set(DISCOVERY, { issuer: `${ISSUER}/`, jwks_uri: KEYS })],
    ['that is not JSON', () => documents.set(DISCOVERY, '<html>')],
    ['without keys', () => documents.set(DISCOVERY, { issuer: ISSUER })],
    ['with keys that are none', () => documents.set(KEYS, { keys: {} })],
    ['with keys of the wrong type', () => documents.set(KEYS, { keys: ['x'] })],
  ])('%s at the start is looked for again', async (_, spoil) => {
    spoil();
    const verifier = await verifierOf();
    await expect(verifier.verify(await sign())).rejects.toThrow('oidc: authenticator not initialized');
    expect(errors).toHaveLength(1);
    documents.set(DISCOVERY, { issuer: ISSUER, jwks_uri: KEYS });
    publish(one.jwk);
    await expect.poll(() => sign().then((token) => verifier.verify(token)), { timeout: 30_000 }).toBeDefined();
    verifier.close();
  });

  it.each<[Partial<OidcSettings>, string]>([
    [{ issuerUrl: 'http://issuer.example' }, `"http://issuer.example" has invalid scheme "http", require 'https'`],
    [{ issuerUrl: 'issuer' }, 'is not a URL'],
    [{ signingAlgorithms: ['RS256', 'HS256'] }, 'unsupported signing alg: "HS256"'],
    [{ signingAlgorithms: ['none'] }, 'unsupported signing alg: "none"'],
    [{ usernameClaim: '' }, 'no username claim provided'],
  ])('is refused at the start: %j', async (settings, message) => {
    await expect(verifierOf(settings)).rejects.toThrow(message);
  });
});

describe('verified tokens', () => {
  it('are verified once, and not beyond their end', async () => {
    const verifier = await verifierOf();
    const token = await sign();
    const first = await verifier.verify(token);
    expect(await verifier.verify(token)).toBe(first);
    clock = NOW + 60_001;
    await expect(verifier.verify(token)).rejects.toThrow('token is expired');
  });
});

describe('groups that are elsewhere', () => {
  const ELSEWHERE = 'https://groups.example/jane';
  const claims = {
    _claim_names: { groups: 's' },
    _claim_sources: { s: { endpoint: ELSEWHERE, access_token: 'secret' } },
  };

  it('are fetched with the token that is given for them', async () => {
    documents.set(ELSEWHERE, await sign({ groups: ['far'] }));
    const verifier = await verifierOf();
    const known = await verifier.verify(await sign(claims));
    expect(known?.user.groups).toEqual(['far', 'system:authenticated']);
    expect(asked).toContain(`${ELSEWHERE} secret`);
    verifier.close();
  });

  it('are fetched again after a while: who is taken out of one has not its rights for as long as the token lasts', async () => {
    documents.set(ELSEWHERE, await sign({ groups: ['far'] }));
    const verifier = await verifierOf();
    const token = await sign(claims);
    const groups = async () => (await verifier.verify(token))?.user.groups[0];
    expect([await groups(), await groups()]).toEqual(['far', 'far']);
    expect(asked.filter((url) => url.startsWith(ELSEWHERE))).toHaveLength(1);
    documents.set(ELSEWHERE, await sign({ groups: ['farther'] }));
    clock += 10_000;
    expect(await groups()).toBe('farther');
    verifier.close();
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['signed by another', () => sign({ groups: ['x'] }, two), 'failed to verify'],
    ['for another client', () => sign({ groups: ['x'], aud: 'y' }), 'expected audience'],
    ['without the claim', () => sign(), 'did not contain claim: groups'],
    ['no token', async () => '{}', 'did not answer with a JWT'],
    ['of an issuer that is not there', () => sign({ groups: ['x'], iss: 'https://gone.example' }), 'not initialized'],
  ])('are refused: %s', async (_, answer, message) => {
    documents.set(ELSEWHERE, await answer());
    const verifier = await verifierOf();
    await expect(verifier.verify(await sign(claims))).rejects.toThrow(message);
    verifier.close();
  });

  it('count for nothing where the token has groups, or no groups are asked for', async () => {
    const verifier = await verifierOf();
    expect((await verifier.verify(await sign({ ...claims, groups: ['near'] })))?.user.groups[0]).toBe('near');
    expect(await (await verifierOf({ groupsClaim: undefined })).verify(await sign(claims))).toBeDefined();
    await expect(verifier.verify(await sign({ _claim_names: { groups: 's' } }))).rejects.toThrow('no claim sources');
  });
});
