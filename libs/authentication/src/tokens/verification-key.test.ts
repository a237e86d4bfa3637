import { createHash, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthority, generateKey } from '../certificates.js';
import { discoveryDocument, discoveryProblem, keySet } from './issuer-metadata.js';
import { signingKeyOf, verificationKeysOf } from './verification-key.js';

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const pem = (key: KeyObject, type: 'spki' | 'pkcs8' | 'pkcs1' | 'sec1') =>
  key.export({ type: type as 'pkcs8', format: 'pem' }).toString();
const idOf = (key: KeyObject) =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64url');

test('public and private keys, several in a file, beside what is none', async () => {
  const key = await generateKey();
  const certificate = await createAuthority(key, { commonName: 'x' }, 1, Date.now());
  const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
  const file = [
    'a comment\n',
    pem(rsa.publicKey, 'spki'),
    parameters,
    pem(ec.privateKey, 'sec1'),
    '-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----\n',
    certificate,
  ].join('');
  expect(verificationKeysOf(file).map(({ id, algorithm }) => [id, algorithm])).toEqual([
    [idOf(rsa.publicKey), 'RS256'],
    [idOf(ec.publicKey), 'ES384'],
    [idOf(createPublicKey(key)), 'ES256'],
  ]);
  expect(verificationKeysOf(pem(rsa.privateKey, 'pkcs1'))[0]?.key.type).toBe('public');
  expect(signingKeyOf(file).verification.id).toBe(idOf(ec.publicKey));
});

test('what no token can be signed with is refused', () => {
  expect(() => verificationKeysOf('')).toThrow('no RSA or ECDSA key');
  const edwards = generateKeyPairSync('ed25519');
  expect(() => verificationKeysOf(pem(edwards.publicKey, 'spki'))).toThrow('no RSA or ECDSA key');
  expect(() => signingKeyOf(pem(rsa.publicKey, 'spki'))).toThrow('no RSA or ECDSA private key');
  const bitcoin = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
  expect(() => verificationKeysOf(pem(bitcoin.publicKey, 'spki'))).toThrow('it must be on P-256, P-384 or P-521');
});

test('documents of an issuer', () => {
  const keys = verificationKeysOf([pem(rsa.privateKey, 'pkcs8'), pem(ec.publicKey, 'spki')].join(''));
  expect(JSON.stringify(discoveryDocument('https://a', 'https://b/openid/v1/jwks', keys))).toBe(
    '{"issuer":"https://a","jwks_uri":"https://b/openid/v1/jwks","response_types_supported":["id_token"],' +
      '"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["ES384","RS256"]}',
  );
  const { n } = rsa.publicKey.export({ format: 'jwk' });
  expect(keySet(keys).keys[0]).toEqual({
    ...{ use: 'sig', kty: 'RSA', kid: idOf(rsa.publicKey), alg: 'RS256', n, e: 'AQAB' },
  });
  expect(discoveryProblem('https://a/b')).toBeUndefined();
  for (const issuer of ['api', 'http://a', 'https://a?b=c', 'kubernetes/serviceaccount'])
    expect(discoveryProblem(issuer)).toContain(issuer);
});
