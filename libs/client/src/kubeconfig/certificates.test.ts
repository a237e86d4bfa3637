import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { certificatesInKubeconfig } from './certificates.js';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'kubeconfig-certificates-'));
  for (const name of ['ca.crt', 'user.crt']) writeFileSync(join(dir, name), name);
});
afterAll(() => rmSync(dir, { recursive: true }));

it('finds those of all clusters and users, held or named, and leaves out what cannot be read', async () => {
  const [file, data] = [join(dir, 'config'), Buffer.from('held').toString('base64')];
  const config = {
    clusters: [
      { name: 'held', cluster: { 'certificate-authority-data': data } },
      { name: 'named', cluster: { 'certificate-authority': 'ca.crt' } },
      { name: 'gone', cluster: { 'certificate-authority': 'none.crt' } },
      { name: 'broken', cluster: { 'certificate-authority-data': '*' } },
      { name: 'none', cluster: { server: 'https://a' } },
    ],
    users: [
      { name: 'held', user: { 'client-certificate-data': data } },
      { name: 'named', user: { 'client-certificate': 'user.crt' } },
    ],
  };
  writeFileSync(file, JSON.stringify(config));
  expect(await certificatesInKubeconfig(file)).toEqual([
    { file, pem: 'held', isFollowed: false },
    { file: join(dir, 'ca.crt'), pem: 'ca.crt', isFollowed: false },
    { file, pem: 'held', isFollowed: false },
    { file: join(dir, 'user.crt'), pem: 'user.crt', isFollowed: true },
  ]);
});

it('throws for a file that is none', () =>
  expect(certificatesInKubeconfig(join(dir, 'none'))).rejects.toThrow('ENOENT'));
