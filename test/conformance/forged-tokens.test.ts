import { createHmac, createPublicKey, createSign, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { expect, inject, test } from 'vitest';
import { Api } from '../support/api.js';
import { conformance, expectRefusal, expectStatus } from './conformance.js';

type Sign = (signed: string) => Buffer;

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

function forged(header: object, claims: object, sign: Sign): string {
  const signed = `${encoded(header)}.${encoded(claims)}`;
  return `${signed}.${sign(signed).toString('base64url')}`;
}

conformance('Forged tokens of service accounts [Service account tokens]', ({ api, names, namespace }) => {
  const server = inject('servers')[names.profile];

  /** What a request with a token is answered with. */
  async function statusWith(token: string): Promise<number> {
    const client = new Api({ ...server, token });
    const { status } = await client.get('/version');
    client.close();
    return status;
  }

  async function issuedToken(): Promise<string> {
    const accounts = `/api/v1/namespaces/${await namespace()}/serviceaccounts`;
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot' } };
    expectStatus(await api.post(accounts, account), 201);
    const group = names.group('authentication.orch.io');
    const asked = { apiVersion: `${group}/v1`, kind: 'TokenRequest', spec: {} };
    return expectStatus(await api.post(`${accounts}/robot/token`, asked), 201).json().status.token;
  }

  test('are refused, whatever their headers say, and nobody is taken for anonymous', async () => {
    const token = await issuedToken();
    const claims = claimsOf(token);
    expect(await statusWith(token)).toBe(200);
    const { keys } = expectStatus(await api.get('/openid/v1/jwks'), 200).json<{
      keys: (JsonWebKey & { kid: string })[];
    }>();
    const [jwk] = keys;
    if (!jwk) throw new Error('the issuer tells no key');
    const { kid } = jwk;
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const bySecret =
      (secret: string | Buffer): Sign =>
      (signed) =>
        createHmac('sha256', secret).update(signed).digest();
    const byOwn: Sign = (signed) => createSign('sha256').update(signed).sign(own.privateKey);
    const jku = 'https://127.0.0.1:1/keys';
    const [header = '', , signature = ''] = token.split('.');
    const other = { ...claims, sub: 'system:serviceaccount:kube-system:admin' };
    const attempts = {
      unsigned: forged({ alg: 'none', kid }, claims, () => Buffer.alloc(0)),
      'unsigned, in capitals': forged({ alg: 'NONE', kid }, claims, () => Buffer.alloc(0)),
      'with the public key as a secret (PEM)': forged(
        { alg: 'HS256', kid },
        claims,
        bySecret(publicKey.export({ type: 'spki', format: 'pem' })),
      ),
      'with the public key as a secret (DER)': forged(
        { alg: 'HS256', kid },
        claims,
        bySecret(publicKey.export({ type: 'spki', format: 'der' })),
      ),
      'with an empty secret': forged({ alg: 'HS256', kid: '../../dev/null' }, claims, bySecret('')),
      'under the id of a key': forged({ alg: 'RS256', kid }, claims, byOwn),
      'with a key of its own': forged(
        { alg: 'RS256', kid: 'own', jwk: own.publicKey.export({ format: 'jwk' }), jku, x5u: jku },
        claims,
        byOwn,
      ),
      'with claims of others': [header, encoded(other), signature].join('.'),
      'without its signature': `${header}.${token.split('.')[1]}.`,
      'with a part more': `${token}.${signature}`,
    };
    for (const [called, attempt] of Object.entries(attempts)) expect(await statusWith(attempt), called).toBe(401);
  });

  test('say in no answer what is wrong with them', async () => {
    const client = new Api({ ...server, token: `${(await issuedToken()).slice(0, -4)}AAAA` });
    expect(expectRefusal(await client.get('/api/v1/pods'), 401, 'Unauthorized').message).toBe('Unauthorized');
    client.close();
  });

  test('have an issuer that tells whose keys are whose', async () => {
    const token = await issuedToken();
    const discovery = expectStatus(await api.get('/.well-known/openid-configuration'), 200).json();
    expect(discovery.issuer).toBe(claimsOf(token).iss);
    expect(discovery.jwks_uri).toBe(`${server.url}/openid/v1/jwks`);
    expect(expectStatus(await api.get('/'), 200).json<{ paths: string[] }>().paths).toEqual(
      expect.arrayContaining(['/.well-known/openid-configuration', '/openid/v1/jwks']),
    );
  });
});
