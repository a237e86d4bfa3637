import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { namesOf } from '@orch/machinery';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { generateKey, hostsOf } from './certificates.js';
import { ensurePki, type PkiSettings } from './pki.js';

const DAY_MS = 86_400_000;
let parent: string;
let settings: PkiSettings;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'pki-'));
  settings = { certDir: join(parent, 'deep', 'pki'), bindAddress: '127.0.0.2', names: namesOf('orch') };
});
afterEach(() => rm(parent, { recursive: true }));

const mode = async (file: string) => ((await stat(file)).mode & 0o777).toString(8);

test('makes everything once, with the names that clients use and closed permissions', async () => {
  const pki = await ensurePki({
    ...settings,
    serviceAddresses: ['10.96.0.1'],
    extraHosts: ['api.example.com', '2001:db8::7'],
  });
  const serving = new X509Certificate(pki.serving.cert);
  for (const host of ['localhost', 'api.example.com', 'orch', 'orch.default', 'orch.default.svc.cluster.local']) {
    expect(serving.checkHost(host), host).toBe(host);
  }
  for (const ip of ['127.0.0.1', '::1', '10.96.0.1', '127.0.0.2', '2001:db8::7']) expect(serving.checkIP(ip)).toBe(ip);
  const ca = new X509Certificate(pki.ca.cert);
  expect(ca.ca).toBe(true);
  expect(serving.ca).toBe(false);
  expect(serving.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  const admin = new X509Certificate(pki.admin.cert);
  expect(admin.subject).toBe('O=system:masters\nCN=admin');
  expect(admin.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  const kubeletClient = new X509Certificate(pki.kubeletClient.cert);
  expect(kubeletClient.subject).toBe('O=system:masters\nCN=apiserver-kubelet-client');
  expect(kubeletClient.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  for (const leaf of [serving, admin, kubeletClient]) {
    expect(leaf.checkIssued(ca) && leaf.verify(ca.publicKey)).toBe(true);
    expect(Date.parse(leaf.validTo) - Date.parse(leaf.validFrom)).toBe(365 * DAY_MS + 3_600_000);
  }
  expect(Date.parse(ca.validTo) - Date.now()).toBeGreaterThan(3649 * DAY_MS);
  for (const name of [
    'ca',
    'apiserver',
    'apiserver-kubelet-client',
    'admin',
    'front-proxy',
    'gateway-client',
    'aggregator',
  ])
    expect(await mode(join(settings.certDir, `${name}.key`))).toBe('600');
  expect(await mode(settings.certDir)).toBe('700');
  expect((await readdir(settings.certDir)).sort()).toEqual([
    ...[
      'admin.crt',
      'admin.key',
      'aggregator.crt',
      'aggregator.key',
      'apiserver-kubelet-client.crt',
      'apiserver-kubelet-client.key',
      'apiserver.crt',
      'apiserver.key',
      'ca.crt',
      'ca.key',
    ],
    ...['front-proxy-ca.crt', 'front-proxy-ca.key', 'front-proxy.crt', 'front-proxy.key'],
    ...['gateway-client.crt', 'gateway-client.key'],
  ]);
});

test("the administrator's key is one that every client can read", async () => {
  const { admin, ca, serving } = await ensurePki(settings);
  expect(admin.key).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
  const key = createPrivateKey(admin.key);
  expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048 });
  const certificate = new X509Certificate(admin.cert);
  expect(certificate.checkPrivateKey(key) && certificate.checkIssued(new X509Certificate(ca.cert))).toBe(true);
  expect(createPrivateKey(serving.key).asymmetricKeyType).toBe('ec');
});

test("an administrator's key that is there stays, and its certificate is renewed", async () => {
  const key = await generateKey();
  await mkdir(settings.certDir, { recursive: true });
  await writeFile(join(settings.certDir, 'admin.key'), key);
  const { admin } = await ensurePki(settings);
  expect(admin.key).toBe(key);
  expect(new X509Certificate(admin.cert).checkPrivateKey(createPrivateKey(key))).toBe(true);
});

test('a second start changes nothing', async () => {
  const first = await ensurePki(settings);
  expect(await ensurePki(settings)).toEqual(first);
});

test('renews when less than 30 days are left, with the same keys', async () => {
  const first = await ensurePki(settings);
  const at = (days: number) => ({ ...settings, now: () => Date.now() + days * DAY_MS });
  expect(await ensurePki(at(334))).toEqual(first);
  const renewed = await ensurePki(at(336));
  expect(renewed.serving.cert).not.toBe(first.serving.cert);
  expect(renewed.admin.cert).not.toBe(first.admin.cert);
  expect([renewed.serving.key, renewed.admin.key, renewed.ca]).toEqual([first.serving.key, first.admin.key, first.ca]);
  await expect(ensurePki(at(3651))).rejects.toThrow('authority has expired');
});

test('renews when a host is missing, and keeps those of other processes', async () => {
  await ensurePki({ ...settings, extraHosts: ['one.example.com'] });
  const two = await ensurePki({ ...settings, extraHosts: ['two.example.com', '192.0.2.9'] });
  expect(hostsOf(two.serving.cert)).toEqual(
    expect.arrayContaining(['one.example.com', 'two.example.com', '192.0.2.9']),
  );
  expect(await ensurePki({ ...settings, extraHosts: ['one.example.com'] })).toEqual(two);
});

test('processes that start together agree on one authority, and keys fit certificates', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => ensurePki(settings)));
  expect(new Set(all.map(({ ca }) => ca.cert + ca.key)).size).toBe(1);
  expect(new Set(all.map(({ serving }) => serving.key)).size).toBe(1);
  const settled = await ensurePki(settings);
  expect(settled.serving.cert).toBe(await readFile(settled.serving.certFile, 'utf8'));
  expect((await readdir(settings.certDir)).filter((file) => file.endsWith('.tmp'))).toEqual([]);
  const ca = new X509Certificate(settled.ca.cert);
  for (const { serving } of all) expect(new X509Certificate(serving.cert).verify(ca.publicKey)).toBe(true);
});

test('goes on after a start that died between key and certificate', async () => {
  const first = await ensurePki(settings);
  await rm(first.ca.certFile);
  await rm(first.serving.certFile);
  const second = await ensurePki(settings);
  expect(second.ca.key).toBe(first.ca.key);
  expect(new X509Certificate(second.serving.cert).verify(new X509Certificate(second.ca.cert).publicKey)).toBe(true);
});

test('refuses an authority whose key is another', async () => {
  const { ca } = await ensurePki(settings);
  await rm(ca.keyFile);
  await expect(ensurePki(settings)).rejects.toThrow('does not match');
});

test('bound to every address, the addresses of the machine are certified', async () => {
  const { serving } = await ensurePki({ ...settings, bindAddress: '0.0.0.0' });
  expect(hostsOf(serving.cert)).not.toContain('0.0.0.0');
  expect(new X509Certificate(serving.cert).checkIP('127.0.0.1')).toBe('127.0.0.1');
});
