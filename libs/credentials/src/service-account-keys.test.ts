import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servingOptions } from '@orch/apiserver';
import { namesOf } from '@orch/machinery';
import { defineOptions } from '@orch/runtime';
import { afterAll, expect, test } from 'vitest';
import { readServiceAccountKeys } from './service-account-keys.js';

const dir = mkdtempSync(join(tmpdir(), 'service-account-keys-'));
afterAll(() => rmSync(dir, { recursive: true }));

let count = 0;
const freshDir = () => join(dir, `pki-${count++}`);
const parsed = (...args: string[]) => defineOptions(servingOptions).parse(args).values;
const read = (...args: string[]) =>
  readServiceAccountKeys(parsed(`--cert-dir=${freshDir()}`, ...args), namesOf('orch'));

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const privatePem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const publicPem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();
function file(text: string): string {
  const path = join(dir, `file-${count++}`);
  writeFileSync(path, text);
  return path;
}

test('without a file a key is made, once for all servers of a directory', async () => {
  const certDir = freshDir();
  const reading = () => readServiceAccountKeys(parsed(`--cert-dir=${certDir}`), namesOf('orch'));
  const [first, second] = await Promise.all([reading(), reading()]);
  expect(first.verification).toHaveLength(1);
  expect(first.verification[0]?.algorithm).toBe('RS256');
  expect(second.verification[0]?.id).toBe(first.verification[0]?.id);
  expect((await reading()).verification[0]?.id).toBe(first.verification[0]?.id);
  expect(statSync(join(certDir, 'service-account.key')).mode & 0o777).toBe(0o600);
  expect(first.issuers).toEqual(['https://orch.default.svc.cluster.local']);
  expect(first.audiences).toEqual(first.issuers);
  expect(first.issuer).toBeDefined();
});

test('files: the one that signs is believed, and those of others', async () => {
  const signing = file(privatePem(ec.privateKey));
  const others = file(publicPem(rsa.publicKey) + publicPem(ec.publicKey));
  const keys = await read(`--service-account-signing-key-file=${signing}`, `--service-account-key-file=${others}`);
  expect(keys.verification.map(({ algorithm }) => algorithm)).toEqual(['ES256', 'RS256']);
  expect(keys.issuer).toBeDefined();
});

test('a server that has only keys to judge by issues nothing and makes none', async () => {
  const certDir = freshDir();
  const only = [`--cert-dir=${certDir}`, `--service-account-key-file=${file(publicPem(rsa.publicKey))}`];
  const keys = await readServiceAccountKeys(parsed(...only), namesOf('orch'));
  expect([keys.verification.length, keys.issuer, existsSync(certDir)]).toEqual([1, undefined, false]);
});

test('without a key of accounts that of TLS is judged by, if it can be', async () => {
  const keys = await read(`--tls-private-key-file=${file(privatePem(rsa.privateKey))}`);
  expect([keys.verification.length, keys.issuer]).toEqual([1, undefined]);
  const edwards = generateKeyPairSync('ed25519').privateKey;
  expect((await read(`--tls-private-key-file=${file(privatePem(edwards))}`)).verification).toEqual([]);
});

test('issuers and audiences', async () => {
  const keys = await read('--service-account-issuer=https://a', '--service-account-issuer=b', '--api-audiences=x,y');
  expect([keys.issuers, keys.audiences]).toEqual([
    ['https://a', 'b'],
    ['x', 'y'],
  ]);
  expect((await read('--service-account-issuer=https://a')).audiences).toEqual(['https://a']);
});

test('what may not be meant is warned of', async () => {
  const max = (hours: number) => `--service-account-max-token-expiration=${hours}h`;
  expect((await read(max(24 * 366))).warnings).toEqual([]);
  expect((await read(max(24))).warnings).toEqual([expect.stringContaining('good for up to a year')]);
  expect((await read(max(1))).warnings).toHaveLength(2);
  expect((await read(max(1), '--service-account-extend-token-expiration=false')).warnings).toEqual([]);
  expect((await read('--service-account-issuer=cluster')).warnings).toEqual([expect.stringContaining('is no URL')]);
});

test.each([
  [() => ['--service-account-key-file=/nowhere'], /ENOENT.*\/nowhere/],
  [() => [`--service-account-key-file=${file('none')}`], /file-\d+: it contains no RSA or ECDSA key/],
  [
    () => [`--service-account-signing-key-file=${file(publicPem(rsa.publicKey))}`],
    /it contains no RSA or ECDSA private key/,
  ],
  [() => ['--service-account-max-token-expiration=59m'], /must be between 1 hour and 2\^32 seconds/],
  [() => ['--service-account-issuer=http://a b'], /--service-account-issuer: .* is not a URL/],
  [() => ['--service-account-issuer=a', '--service-account-issuer=a'], /an issuer is given twice/],
  [() => ['--service-account-jwks-uri=http://a'], /--service-account-jwks-uri: .*https/],
])('what cannot be used is refused (%#)', async (args, message) => {
  await expect((async () => read(...args()))()).rejects.toThrow(message);
});
