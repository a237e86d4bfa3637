import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { createAuthority, generateKey } from './certificates.js';
import { issueClientCertificate } from './client-certificate.js';

const NOW = Date.parse('2026-11-29T12:00:00Z');
const HOUR_MS = 3_600_000;

async function issued(name: string, groups: readonly string[] = []) {
  const key = await generateKey();
  const cert = await createAuthority(key, { commonName: 'ca' }, 1, NOW);
  return issueClientCertificate({ cert, key }, { name, groups }, HOUR_MS, NOW);
}

test('a certificate names its user and groups, in order, and lasts as long as was asked', async () => {
  const { cert, key } = await issued('jane', ['b', 'a']);
  const certificate = new X509Certificate(cert);
  expect(certificate.subject).toBe('O=b\nO=a\nCN=jane');
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  expect(Date.parse(certificate.validTo) - NOW).toBe(HOUR_MS);
  expect(key).toContain('BEGIN RSA PRIVATE KEY');
});

test('names that begin with # are taken as they are, not as encoded ones of others', async () => {
  const { cert } = await issued('#0c0c73797374656d3a61646d696e', ['#0c0e73797374656d3a6d617374657273', '#zz', 'é,=+']);
  expect(new X509Certificate(cert).toLegacyObject().subject).toEqual({
    O: ['#0c0e73797374656d3a6d617374657273', '#zz', 'é,=+'],
    CN: '#0c0c73797374656d3a61646d696e',
  });
});
