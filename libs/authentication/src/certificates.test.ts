import { expect, it } from 'vitest';
import { commonNamesOf, createAuthority, generateKey, hostsOf, issueCertificate } from './certificates.js';

async function certificateOf(commonName: string, hosts: readonly string[]): Promise<string> {
  const [key, authorityKey] = [await generateKey(), await generateKey()];
  const now = Date.now();
  const authority = { cert: await createAuthority(authorityKey, { commonName: 'ca' }, 2, now), key: authorityKey };
  return issueCertificate(authority, { key, subject: { commonName }, usage: 'server', hosts, days: 1 }, now);
}

it('a certificate is for the names and addresses that it was issued for, as they were written', async () => {
  const hosts = ['localhost', '*.example.org', '127.0.0.1', '::1', 'fd00:0:0:1::5', 'odd, DNS:other', 'a"b\\c'];
  expect(hostsOf(await certificateOf('a', hosts))).toEqual(hosts);
});

it('a certificate without names is for none', async () => {
  expect(hostsOf(await certificateOf('a', []))).toEqual([]);
});

it('a common name is read as it was written', async () => {
  expect(commonNamesOf(await certificateOf('x, CN=y', []))).toEqual(['x, CN=y']);
});
