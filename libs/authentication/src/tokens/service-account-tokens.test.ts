import { createHmac, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { namesOf } from '@orch/machinery';
import { beforeEach, expect, test } from 'vitest';
import type { KnownObject, ObjectName } from './bound-objects.js';
import { keyOfObject } from './bound-objects.js';
import { ServiceAccountTokens, type TokenUse } from './service-account-tokens.js';
import { signToken } from './signed-token.js';
import { TokenIssuer } from './token-issuer.js';
import { jwkOf, type SigningKey, signingKeyOf } from './verification-key.js';

const names = namesOf('kubernetes');
const ISSUER = 'https://kubernetes.default.svc.cluster.local';
const NOW = Date.parse('2026-05-01T12:00:00Z');
const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const rsa = (): SigningKey => signingKeyOf(pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey));
const ec = (namedCurve: string): SigningKey =>
  signingKeyOf(pemOf(generateKeyPairSync('ec', { namedCurve }).privateKey));
const KEY = rsa();
const OTHER = rsa();
const CURVES = ['P-256', 'P-384', 'P-521'].map(ec);

let clock: number;
let objects: Map<string, KnownObject>;
let looks: number;
let uses: TokenUse[];
const known = {
  find(object: ObjectName) {
    looks++;
    return objects.get(keyOfObject(object));
  },
};
const put = (kind: ObjectName['kind'], name: string, found: KnownObject) =>
  objects.set(keyOfObject({ kind, namespace: 'ns', name }), found);

beforeEach(() => {
  clock = NOW;
  objects = new Map();
  looks = 0;
  uses = [];
  put('ServiceAccount', 'builder', { uid: 'account-uid' });
  put('Pod', 'web', { uid: 'pod-uid' });
  put('Secret', 'held', { uid: 'secret-uid' });
});

const settings = { names, issuers: [ISSUER, 'old'], audiences: ['api', 'api2'], lookup: true, objects: known };
const verifierOf = (keys = [KEY, ...CURVES], more = {}) =>
  new ServiceAccountTokens({
    ...settings,
    keys: keys.map(({ verification }) => verification),
    onUse: (use) => uses.push(use),
    now: () => clock,
    ...more,
  });
const issuerOf = (key = KEY, issuer = ISSUER) =>
  new TokenIssuer({ names, key, issuer, audiences: ['api'], maxSeconds: undefined, extend: true });

const account = { name: 'builder', uid: 'account-uid' };
const grant = { namespace: 'ns', account, audiences: ['api'], expirationSeconds: 3600 };
const pod = { name: 'web', uid: 'pod-uid' };

/** A token whose header and claims are any. */
function made(header: object, claims: object, sign: (signed: string) => Buffer): string {
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${sign(signed).toString('base64url')}`;
}
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
const byRsa = (digest: string) => (signed: string) => createSign(digest).update(signed).sign(KEY.key);

test('a token stands for its account, and for the pod that it is bound to', async () => {
  const token = issuerOf().issue({ ...grant, pod }, clock);
  const user = {
    name: 'system:serviceaccount:ns:builder',
    uid: 'account-uid',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
    extra: {
      'authentication.kubernetes.io/pod-name': ['web'],
      'authentication.kubernetes.io/pod-uid': ['pod-uid'],
    },
  };
  const verifier = verifierOf();
  const first = await verifier.verify(token);
  expect(first).toMatchObject({ user, method: 'token', audiences: ['api'], expiresAt: NOW + 3660_000 });
  expect(first?.boundTo?.map(({ object }) => keyOfObject(object))).toEqual(['ServiceAccount/ns/builder', 'Pod/ns/web']);
  expect((await verifier.verify(token))?.user, 'one user a token').toBe(first?.user);
  const bare = await verifier.verify(issuerOf().issue(grant, clock));
  expect(bare?.user.extra).toEqual({});
});

test('claims are those that other programs read', () => {
  const secret = { name: 'held', uid: 'secret-uid' };
  const token = issuerOf().issue({ ...grant, secret, warnAfterSeconds: 60 }, NOW);
  const at = NOW / 1000;
  expect(claimsOf(token)).toEqual({
    aud: ['api'],
    exp: at + 3600,
    iat: at,
    iss: ISSUER,
    'kubernetes.io': { namespace: 'ns', secret, serviceaccount: account, warnafter: at + 60 },
    nbf: at,
    sub: 'system:serviceaccount:ns:builder',
  });
  expect(JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())).toEqual({
    alg: 'RS256',
    kid: KEY.verification.id,
  });
});

test.each(CURVES.map((key) => [key.verification.algorithm, key] as const))('keys of %s', async (algorithm, key) => {
  const token = issuerOf(key).issue(grant, clock);
  expect((await verifierOf().verify(token))?.user.name).toBe('system:serviceaccount:ns:builder');
  expect(jwkOf(key.verification)).toMatchObject({ kty: 'EC', alg: algorithm, use: 'sig', kid: key.verification.id });
  expect(jwkOf(key.verification)).not.toHaveProperty('d');
});

test('a signature is looked at once, objects and times each time', async () => {
  const verifier = verifierOf();
  const token = issuerOf().issue(grant, clock);
  await verifier.verify(token);
  await verifier.verify(token);
  expect(looks).toBe(2);
  clock += 3661_000;
  await expect(verifier.verify(token)).rejects.toThrow('service account token has expired');
});

const refused: readonly [string, (claims: object) => string][] = [
  ['without a signature', (claims) => made({ alg: 'none' }, claims, () => Buffer.alloc(0))],
  ['of algorithm none with a signature', (claims) => made({ alg: 'none' }, claims, byRsa('sha256'))],
  [
    'with a public key as a secret (HS256)',
    (claims) => {
      const secret = KEY.verification.key.export({ type: 'spki', format: 'pem' });
      return made({ alg: 'HS256', kid: KEY.verification.id }, claims, (signed) =>
        createHmac('sha256', secret).update(signed).digest(),
      );
    },
  ],
  ['of another algorithm of the same key', (claims) => made({ alg: 'RS512' }, claims, byRsa('sha512'))],
  ['that names another algorithm than it is signed with', (claims) => made({ alg: 'ES256' }, claims, byRsa('sha256'))],
  ['of a key that is not known', (claims) => signToken(claims, OTHER)],
  [
    'of a key that is not known under the id of one that is',
    (claims) => signToken(claims, { ...OTHER, verification: KEY.verification }),
  ],
  [
    'under the id of another key',
    (claims) => made({ alg: 'RS256', kid: CURVES[0]?.verification.id }, claims, byRsa('sha256')),
  ],
  [
    'that brings its key along',
    (claims) => {
      const jwk = OTHER.verification.key.export({ format: 'jwk' });
      const header = { alg: 'RS256', jwk, jku: 'https://evil.example/keys', x5u: 'https://evil.example', x5c: [] };
      return made(header, claims, (signed) => createSign('sha256').update(signed).sign(OTHER.key));
    },
  ],
  [
    'whose claims were changed',
    (claims) => {
      const [header, , signature] = signToken(claims, KEY).split('.');
      const changed = { ...claims, 'kubernetes.io': { namespace: 'kube-system', serviceaccount: account } };
      return [header, Buffer.from(JSON.stringify(changed)).toString('base64url'), signature].join('.');
    },
  ],
  [
    'whose signature was changed',
    (claims) => {
      const token = signToken(claims, KEY);
      const at = token.lastIndexOf('.') + 9;
      return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
    },
  ],
];

test.each(refused)('a token %s is refused', async (_flaw, make) => {
  const good = claimsOf(issuerOf().issue(grant, clock));
  expect(await verifierOf().verify(signToken(good, KEY)), 'the same in order').toBeDefined();
  await expect(verifierOf().verify(make(good))).rejects.toThrow('signature');
  expect(looks, 'nothing was looked up for it').toBe(1);
});

test('the id of a key only says which to look at: without one, or with one of nobody, all are', async () => {
  const good = claimsOf(issuerOf().issue(grant, clock));
  for (const kid of [undefined, 'nobody', 7, null])
    expect(await verifierOf().verify(made({ alg: 'RS256', kid }, good, byRsa('sha256')))).toBeDefined();
});

test.each([
  ['another issuer', 'evil'],
  ['a longer one', `${ISSUER}/`],
  ['none', undefined],
])('a token of %s is none of these', async (_called, iss) => {
  const good = claimsOf(issuerOf().issue(grant, clock));
  expect(await verifierOf().verify(signToken({ ...good, iss }, KEY))).toBeUndefined();
  expect(await verifierOf().verify(signToken({ ...good, iss: 'old' }, KEY))).toBeDefined();
});

test('audiences', async () => {
  const verifier = verifierOf();
  const token = issuerOf().issue({ ...grant, audiences: ['vault', 'api2', 'x'] }, clock);
  expect((await verifier.verify(token))?.audiences).toEqual(['api2']);
  expect((await verifier.verify(token, ['y', 'x', 'vault']))?.audiences).toEqual(['x', 'vault']);
  await expect(verifier.verify(token, ['y'])).rejects.toThrow(
    'token audiences ["vault" "api2" "x"] is invalid for the target audiences ["y"]',
  );
  const elsewhere = issuerOf().issue({ ...grant, audiences: ['vault'] }, clock);
  await expect(verifier.verify(elsewhere)).rejects.toThrow('is invalid for the target audiences ["api" "api2"]');
  const one = signToken({ ...claimsOf(token), aud: 'api' }, KEY);
  expect((await verifier.verify(one))?.audiences, 'one audience may stand alone').toEqual(['api']);
});

test('times, with a minute for clocks that are apart', async () => {
  const token = issuerOf().issue(grant, NOW);
  const at = async (ms: number) => {
    clock = NOW + ms;
    return verifierOf()
      .verify(token)
      .then(
        () => 'good',
        (error: Error) => error.message,
      );
  };
  expect(await at(-61_000)).toBe('service account token is not valid yet');
  expect(await at(-59_000)).toBe('good');
  expect(await at(3_659_000)).toBe('good');
  expect(await at(3_661_000)).toBe('service account token has expired');
  clock = NOW;
  const claims = claimsOf(token);
  const future = signToken({ ...claims, nbf: undefined, iat: claims.iat + 120 }, KEY);
  await expect(verifierOf().verify(future)).rejects.toThrow('issued in the future');
});

test.each([
  ['exp', 'soon'],
  ['exp', 1e300],
  ['nbf', {}],
  ['aud', [7]],
  ['aud', { api: true }],
  ['sub', 7],
  ['kubernetes.io', undefined],
  ['kubernetes.io', 'ns'],
  ['kubernetes.io', { namespace: 'ns' }],
  ['kubernetes.io', { serviceaccount: account }],
  ['kubernetes.io', { namespace: 'ns', serviceaccount: account, pod: 'web' }],
  ['kubernetes.io', { namespace: 'ns', serviceaccount: { name: 7 } }],
])('a claim %s of %j is refused', async (claim, value) => {
  const good = claimsOf(issuerOf().issue(grant, clock));
  const token = signToken({ ...good, [claim]: value }, KEY);
  await expect(verifierOf().verify(token)).rejects.toThrow('could not be validated');
});

test('a token goes with its account, its pod and its secret', async () => {
  const secret = { name: 'held', uid: 'secret-uid' };
  const verifier = verifierOf();
  const [plain, ofPod, ofSecret] = [grant, { ...grant, pod }, { ...grant, secret }].map((each) =>
    issuerOf().issue(each, NOW),
  ) as [string, string, string];
  const why = (token: string) =>
    verifier.verify(token).then(
      () => 'good',
      (error: Error) => error.message,
    );
  expect(await Promise.all([plain, ofPod, ofSecret].map(why))).toEqual(['good', 'good', 'good']);
  put('Pod', 'web', { uid: 'pod-uid', deletedAt: clock + 30_000 });
  clock += 89_000;
  expect(await why(ofPod), 'a minute longer than its pod').toBe('good');
  expect((await verifier.verify(ofPod))?.expiresAt).toBe(NOW + 90_000);
  clock += 2_000;
  expect(await why(ofPod)).toBe('service account token has been invalidated');
  put('Pod', 'web', { uid: 'other' });
  expect(await why(ofPod)).toBe('pod UID (other) does not match service account pod ref claim (pod-uid)');
  put('Secret', 'held', { uid: 'other' });
  expect(await why(ofSecret)).toBe('secret UID (other) does not match service account secret ref claim (secret-uid)');
  objects.clear();
  expect(await why(plain)).toBe('serviceaccounts "builder" not found');
  put('ServiceAccount', 'builder', { uid: 'other' });
  expect(await why(plain)).toBe('service account UID (other) does not match claim (account-uid)');
  put('ServiceAccount', 'builder', { uid: 'account-uid' });
  expect(await why(ofSecret)).toBe('service account token has been invalidated');
  put('ServiceAccount', 'builder', { uid: 'account-uid', deletedAt: clock - 61_000 });
  expect(await why(plain)).toBe('service account ns/builder has been deleted');
});

test('that nobody can tell whether it is good is no yes', async () => {
  const objects = { find: () => Promise.reject(new Error('the database does not answer')) };
  const token = issuerOf().issue(grant, clock);
  await expect(verifierOf([KEY], { objects }).verify(token)).rejects.toThrow('does not answer');
});

test('a token that should have been renewed is told of', async () => {
  const token = issuerOf().issue({ ...grant, pod, warnAfterSeconds: 3607, expirationSeconds: 31_536_000 }, NOW);
  const verifier = verifierOf();
  expect((await verifier.verify(token))?.annotations).toBeUndefined();
  clock += 3_617_000;
  expect((await verifier.verify(token))?.annotations).toEqual({
    'authentication.k8s.io/stale-token':
      'subject: system:serviceaccount:ns:builder, seconds after warning threshold: 10',
  });
  expect(uses).toEqual(['valid', 'stale']);
});

const LEGACY = {
  iss: 'kubernetes/serviceaccount',
  sub: 'system:serviceaccount:ns:builder',
  'kubernetes.io/serviceaccount/namespace': 'ns',
  'kubernetes.io/serviceaccount/secret.name': 'builder-token',
  'kubernetes.io/serviceaccount/service-account.name': 'builder',
  'kubernetes.io/serviceaccount/service-account.uid': 'account-uid',
};
const SECRET_TYPE = 'kubernetes.io/service-account-token';

test('a token that lies in a Secret is good while it lies there', async () => {
  const token = signToken(LEGACY, KEY);
  const verifier = verifierOf();
  const why = () =>
    verifier.verify(token).then(
      (found) => found?.user.name,
      (error: Error) => error.message,
    );
  expect(await why()).toBe('Token has been invalidated');
  put('Secret', 'builder-token', { uid: 's', type: SECRET_TYPE, data: { token } });
  expect(await verifier.verify(token)).toMatchObject({
    user: { name: 'system:serviceaccount:ns:builder', uid: 'account-uid', extra: {} },
    audiences: ['api', 'api2'],
    annotations: { 'authentication.k8s.io/legacy-token': 'system:serviceaccount:ns:builder' },
  });
  await expect(verifier.verify(token, ['vault'])).rejects.toThrow('invalid for the target audiences');
  put('Secret', 'builder-token', { uid: 's', type: SECRET_TYPE, data: { token: `${token}x` } });
  expect(await why()).toBe("Token does not match server's copy");
  put('Secret', 'builder-token', { uid: 's', type: SECRET_TYPE, data: { token }, deletedAt: clock + 1000 });
  expect(await why()).toBe('Token has been invalidated');
  put('Secret', 'builder-token', { uid: 's', type: SECRET_TYPE, data: { token } });
  put('ServiceAccount', 'builder', { uid: 'other' });
  expect(await why()).toBe('ServiceAccount UID (other) does not match claim (account-uid)');
  objects.clear();
  expect((await verifierOf([KEY], { lookup: false }).verify(token))?.user.name).toBe(
    'system:serviceaccount:ns:builder',
  );
  expect(uses).toEqual(['legacy', 'legacy']);
});

test.each([
  [{ sub: undefined }, 'sub claim is missing'],
  [{ sub: 'system:serviceaccount:ns:other' }, 'sub claim is invalid'],
  [{ 'kubernetes.io/serviceaccount/namespace': '' }, 'namespace claim is missing'],
  [{ 'kubernetes.io/serviceaccount/secret.name': undefined }, 'secretName claim is missing'],
  [{ 'kubernetes.io/serviceaccount/service-account.name': 7 }, 'serviceAccountName claim is missing'],
  [{ 'kubernetes.io/serviceaccount/service-account.uid': '' }, 'serviceAccountUID claim is missing'],
])('of such a token, %j is refused', async (changed, message) => {
  await expect(verifierOf().verify(signToken({ ...LEGACY, ...changed }, KEY))).rejects.toThrow(message);
});

test('garbage of all sizes is no token', async () => {
  const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32LE());
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const verifier = verifierOf();
  const good = issuerOf().issue(grant, clock);
  const alphabet = 'abcXYZ019-_.=+/ \u0000é"{}';
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: next(3) === 0 ? next(20_000) : next(60) }, () => alphabet[next(alphabet.length)]);
    const cut = good.slice(0, next(good.length));
    const shifted = `${cut}${alphabet[next(alphabet.length)]}${good.slice(cut.length)}`;
    for (const token of [text.join(''), cut, shifted, `${good}.${good}`, `${good}${text.join('')}x`]) {
      const found = await verifier.verify(token).catch((error: Error) => error.message);
      expect(typeof found === 'string' || found === undefined, `seed ${seed}, ${JSON.stringify(token)}`).toBe(true);
    }
  }
});

test('a token that is too long is none, whoever signed it', async () => {
  const claims = { ...claimsOf(issuerOf().issue(grant, clock)), padding: 'x'.repeat(12_000) };
  expect(await verifierOf().verify(signToken(claims, KEY))).toBeUndefined();
});
