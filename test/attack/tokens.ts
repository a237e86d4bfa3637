import {
  constants,
  createHmac,
  createPublicKey,
  createSign,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyLike,
} from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AttackStage, CORE, expectRefused } from './stage.js';

type Sign = (signed: string) => Buffer;
type Claims = Readonly<Record<string, unknown>>;

/** Many tokens, each on connections of its own, on a machine that has much else to do. */
const MANY_MS = 120_000;

const encoded = (part: object | string): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
const claimsOf = (token: string): Claims => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

function signedToken(header: object | string, claims: object | string, sign: Sign): string {
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${sign(signed).toString('base64url')}`;
}

const bySha256 =
  (key: KeyLike): Sign =>
  (signed) =>
    createSign('sha256').update(signed).sign(key);
const bySecret =
  (secret: string | Buffer): Sign =>
  (signed) =>
    createHmac('sha256', secret).update(signed).digest();
const unsigned: Sign = () => Buffer.alloc(0);

/** JWT confusions and tokens that are used again (issue 14, "It must show"; spec: "Service account tokens"). */
export function tokenAttacks(stage: AttackStage): void {
  /** A token of an account, its claims, and what an attacker knows of the key that signed it. */
  async function issued() {
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const answer = await stage.admin.post(`${CORE}/serviceaccounts/robot/token`, asked);
    const token = stage.remember('token of an account', answer.json().status.token);
    const [jwk] = (await stage.admin.get('/openid/v1/jwks')).json<{ keys: (JsonWebKey & { kid: string })[] }>().keys;
    if (!jwk) throw new Error('the issuer tells no key');
    return { token, claims: claimsOf(token), kid: jwk.kid, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) };
  }

  /** Expects no token to authenticate on either tier, not even as anonymous. */
  async function expectUnknown(attempts: Readonly<Record<string, string>>): Promise<void> {
    for (const [called, token] of Object.entries(attempts)) {
      stage.remember(`forged token (${called})`, token);
      for (const api of stage.clients({ token })) expectRefused(await api.get('/version'), called, [401]);
    }
  }

  describe('forged tokens of service accounts are refused, whatever they say [Service account tokens]', () => {
    test(
      'when somebody else has signed them',
      async () => {
        await stage.make(`${CORE}/serviceaccounts`, {
          apiVersion: 'v1',
          kind: 'ServiceAccount',
          metadata: { name: 'robot' },
        });
        const { token, claims, kid, publicKey } = await issued();
        for (const api of stage.clients({ token })) expect((await api.get('/version')).status).toBe(200);
        const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
        const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
        const jwk = own.publicKey.export({ format: 'jwk' });
        const jku = 'https://127.0.0.1:1/keys';
        const { cert } = stage.openssl.authority('signer');
        const x5c = [cert.replace(/-----[^-]+-----|\s/g, '')];
        const [header = '', body = '', signature = ''] = token.split('.');
        const other = { ...claims, sub: 'system:serviceaccount:kube-system:admin' };
        const pem = publicKey.export({ type: 'spki', format: 'pem' });
        await expectUnknown({
          unsigned: signedToken({ alg: 'none', kid }, claims, unsigned),
          'unsigned, in capitals': signedToken({ alg: 'NONE', kid }, claims, unsigned),
          'unsigned, as nothing': signedToken({ alg: '', kid }, claims, unsigned),
          'unsigned, without algorithm': signedToken({ kid }, claims, unsigned),
          'with the public key as a secret (PEM)': signedToken({ alg: 'HS256', kid }, claims, bySecret(pem)),
          'with the public key as a secret (PEM, cut)': signedToken(
            { alg: 'HS256', kid },
            claims,
            bySecret(String(pem).trim()),
          ),
          'with the public key as a secret (DER)': signedToken(
            { alg: 'HS256', kid },
            claims,
            bySecret(publicKey.export({ type: 'spki', format: 'der' })),
          ),
          'with the public key as a secret (JWK)': signedToken(
            { alg: 'HS256', kid },
            claims,
            bySecret(JSON.stringify(publicKey.export({ format: 'jwk' }))),
          ),
          'with an empty secret': signedToken({ alg: 'HS256', kid: '../../dev/null' }, claims, bySecret('')),
          'with a key from a database': signedToken({ alg: 'HS256', kid: "x' UNION SELECT 'k" }, claims, bySecret('k')),
          'under the id of a key': signedToken({ alg: 'RS256', kid }, claims, bySha256(own.privateKey)),
          'under the id of a key, with another algorithm': signedToken(
            { alg: 'ES256', kid },
            claims,
            bySha256(ec.privateKey),
          ),
          'under no id': signedToken({ alg: 'RS256' }, claims, bySha256(own.privateKey)),
          'with a key of its own': signedToken(
            { alg: 'RS256', kid: 'own', jwk, jku, x5u: jku, x5c },
            claims,
            bySha256(own.privateKey),
          ),
          'with a key of its own under the id of another': signedToken(
            { alg: 'RS256', kid, jwk, jku },
            claims,
            bySha256(own.privateKey),
          ),
          'with an id that is no text': signedToken({ alg: 'RS256', kid: [kid] }, claims, bySha256(own.privateKey)),
          'with an id of a prototype': signedToken(
            { alg: 'RS256', kid: '__proto__' },
            claims,
            bySha256(own.privateKey),
          ),
          'with claims of others': [header, encoded(other), signature].join('.'),
          'with a header of others': [encoded({ alg: 'none', kid }), body, signature].join('.'),
          'without its signature': `${header}.${body}.`,
          'with zeros for a signature': `${header}.${body}.${Buffer.alloc(256).toString('base64url')}`,
          'with a part more': `${token}.${signature}`,
          'with a part less': `${header}.${body}`,
          encrypted: `${encoded({ alg: 'dir', enc: 'A256GCM', kid })}..AAAA.${body}.AAAA`,
          'in plain base64': `${header}.${body}.${Buffer.from(signature, 'base64url').toString('base64')}`,
          'with another last character': `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
          'with something behind it': `${token}=`,
        });
      },
      MANY_MS,
    );

    test(
      'when the right key has signed what is not good',
      async () => {
        const { token, claims, kid } = await issued();
        const key = readFileSync(join(stage.dir, 'pki', 'service-account.key'), 'utf8');
        const sign = bySha256(key);
        const header = { alg: 'RS256', kid };
        const now = Math.floor(Date.now() / 1000);
        const signed = (more: object) => signedToken(header, { ...claims, ...more }, sign);
        const again = signedToken(header, claims, sign);
        // Or nothing that follows says anything.
        for (const api of stage.clients({ token: again })) expect((await api.get('/version')).status).toBe(200);
        const own = claims['kubernetes.io'] as { namespace: string; serviceaccount: { name: string; uid: string } };
        const text = JSON.stringify(claims);
        const twice = (member: string, value: unknown) => `{"${member}":${JSON.stringify(value)},${text.slice(1)}`;
        const lastTwice = (member: string, value: unknown) =>
          `${text.slice(0, -1)},"${member}":${JSON.stringify(value)}}`;
        const pss: Sign = (what) =>
          createSign('sha256').update(what).sign({ key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 });
        await expectUnknown({
          'of another issuer': signed({ iss: 'https://elsewhere' }),
          'of no issuer': signed({ iss: undefined }),
          'of several issuers': signed({ iss: [claims.iss] }),
          'of an issuer with a slash more': signed({ iss: `${claims.iss}/` }),
          'for another audience': signed({ aud: ['elsewhere'] }),
          'for an audience that begins like it': signed({ aud: [`${claims.iss}.example.org`] }),
          'for audiences that are none': signed({ aud: { 0: claims.iss } }),
          'that has expired': signed({ exp: now - 3600 }),
          'that ends never, in words': signed({ exp: 'never' }),
          'that ends beyond all numbers': signedToken(
            header,
            lastTwice('exp', 0).replace(/"exp":0}$/, '"exp":1e400}'),
            sign,
          ),
          'not yet good': signed({ nbf: now + 3600 }),
          'issued in the future': signed({ iat: now + 3600 }),
          'that expired, and says twice when': signedToken(
            header,
            twice('exp', now + 3600).replace(/"exp":\d+(?=[^"]*"iat")/, `"exp":${now - 3600}`),
            sign,
          ),
          'of an account that is not there': signed({
            'kubernetes.io': { ...own, serviceaccount: { ...own.serviceaccount, name: 'nobody' } },
          }),
          'of another account of the name': signed({
            'kubernetes.io': { ...own, serviceaccount: { ...own.serviceaccount, uid: 'x' } },
          }),
          'of another namespace': signed({ 'kubernetes.io': { ...own, namespace: 'kube-system' } }),
          'bound to a pod that is not there': signed({
            'kubernetes.io': { ...own, pod: { name: 'nowhere', uid: 'x' } },
          }),
          'bound to another pod of the name': signed({ 'kubernetes.io': { ...own, pod: { name: 'web', uid: 'x' } } }),
          'bound to nothing that can be read': signed({ 'kubernetes.io': { ...own, pod: 'web' } }),
          'without what is Kubernetes’s own': signed({ 'kubernetes.io': undefined }),
          'with a condition that nobody knows': signedToken({ ...header, crit: ['exp', 'x'], x: 1 }, claims, sign),
          'with a condition of its encoding': signedToken({ ...header, crit: ['b64'], b64: false }, claims, sign),
          'with the padding of PS256': signedToken({ alg: 'PS256', kid }, claims, pss),
          'with a padding that it does not name': signedToken(header, claims, pss),
          'with a longer digest': signedToken({ alg: 'RS512', kid }, claims, (what) =>
            createSign('sha512').update(what).sign(key),
          ),
          'of the issuer of tokens in Secrets': signed({
            iss: 'kubernetes/serviceaccount',
            'kubernetes.io/serviceaccount/namespace': 'default',
          }),
          'of a Secret that is not there': signedToken(
            header,
            {
              iss: 'kubernetes/serviceaccount',
              sub: 'system:serviceaccount:default:robot',
              'kubernetes.io/serviceaccount/namespace': 'default',
              'kubernetes.io/serviceaccount/secret.name': 'crown',
              'kubernetes.io/serviceaccount/service-account.name': 'robot',
              'kubernetes.io/serviceaccount/service-account.uid': own.serviceaccount.uid,
            },
            sign,
          ),
          'whose claims are a list': signedToken(header, JSON.stringify([claims]), sign),
          'whose claims are no JSON': signedToken(header, `${text}}`, sign),
          'as a part of a header': `${token},${token}`,
        });
      },
      MANY_MS,
    );

    test('and no answer says what is wrong with them', async () => {
      const { token } = await issued();
      for (const api of stage.clients({ token: `${token.slice(0, -4)}AAAA` })) {
        const { status, text } = await api.get('/api/v1/pods');
        expect([status, JSON.parse(text).message, JSON.parse(text).reason]).toEqual([
          401,
          'Unauthorized',
          'Unauthorized',
        ]);
      }
    });
  });

  describe('what was good once [Service account tokens]', () => {
    test('is refused everywhere once its account, and one of the name later, has come and gone', async () => {
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'brief' } };
      await stage.make(`${CORE}/serviceaccounts`, account);
      const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
      const token = stage.remember(
        'token of an account that is gone',
        (await stage.admin.post(`${CORE}/serviceaccounts/brief/token`, asked)).json().status.token,
      );
      const apis = stage.clients({ token });
      const codes = async () => Promise.all(apis.map(async (api) => (await api.get('/version')).status));
      expect(await codes()).toEqual([200, 200]);
      expect((await stage.admin.delete(`${CORE}/serviceaccounts/brief`)).status).toBe(200);
      await expect.poll(codes, { timeout: 30_000 }).toEqual([401, 401]);
      await stage.make(`${CORE}/serviceaccounts`, account);
      // Once the new one is known its own token is good; the old one never is again.
      const young = stage.remember(
        'token of its successor',
        (await stage.admin.post(`${CORE}/serviceaccounts/brief/token`, asked)).json().status.token,
      );
      const successors = stage.clients({ token: young });
      const good = async () => Promise.all(successors.map(async (api) => (await api.get('/version')).status));
      await expect.poll(good, { timeout: 30_000 }).toEqual([200, 200]);
      expect(await codes()).toEqual([401, 401]);
    });
  });

  describe('tokens that are nearly right [Bearer token header, Static token file, Bootstrap tokens]', () => {
    test('are nobody’s', async () => {
      const token = stage.cluster.token;
      const attempts = [
        token.slice(0, -1),
        `${token}0`,
        token.toUpperCase(),
        `${token}\u00a0`,
        `${token},${token}`,
        `"${token}"`,
        Buffer.from(token).toString('base64'),
        'abc123.0123456789abcdef',
        'ABC123.0123456789ABCDEF',
        'crown.0123456789abcdef',
        '../../x.0123456789abcdef',
        '.',
        '..',
        '...',
        'null',
        'undefined',
        '__proto__',
        'x'.repeat(10_000),
      ];
      for (const attempt of attempts)
        for (const api of stage.clients({ token: attempt }))
          expectRefused(await api.get('/version'), attempt.slice(0, 80), [401]);
    });

    test('a bootstrap token is not let in by its id, nor by a Secret of another type or use', async () => {
      const [id, secret] = ['att4ck', 'fedcba9876543210'];
      const token = stage.remember('bootstrap token', `${id}.${secret}`);
      stage.remember('secret of a bootstrap token', secret);
      const stringData = { 'token-id': id, 'token-secret': secret, 'usage-bootstrap-signing': 'true' };
      await stage.make('/api/v1/namespaces/kube-system/secrets', {
        ...{ apiVersion: 'v1', kind: 'Secret', type: 'bootstrap.kubernetes.io/token', stringData },
        metadata: { name: `bootstrap-token-${id}` },
      });
      const plain = { 'token-id': 'pla1n0', 'token-secret': secret, 'usage-bootstrap-authentication': 'true' };
      await stage.make('/api/v1/namespaces/kube-system/secrets', {
        ...{ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', stringData: plain },
        metadata: { name: 'bootstrap-token-pla1n0' },
      });
      // In another namespace anybody might make one.
      await stage.make(`${CORE}/secrets`, {
        ...{ apiVersion: 'v1', kind: 'Secret', type: 'bootstrap.kubernetes.io/token' },
        metadata: { name: 'bootstrap-token-els3wh' },
        stringData: { ...plain, 'token-id': 'els3wh' },
      });
      for (const attempt of [token, `${id}.0000000000000000`, `pla1n0.${secret}`, `els3wh.${secret}`])
        for (const api of stage.clients({ token: attempt })) expectRefused(await api.get('/version'), attempt, [401]);
    });
  });
}
