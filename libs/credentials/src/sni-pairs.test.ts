import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { pairFor } from '@orch/serving';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkSniPairs, readSniPairs, sniFiles } from './sni-pairs.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sni-'));
  const { serving } = await ensurePki({
    ...{ certDir: join(dir, 'pki'), bindAddress: '127.0.0.1', names: namesOf('orch') },
    extraHosts: ['a.example.com', '*.b.example.com'],
  });
  await writeFile(join(dir, 'a.crt'), serving.cert);
  await writeFile(join(dir, 'a.key'), serving.key);
});
afterAll(() => rm(dir, { recursive: true }));

it('reads pairs with the names that are given, else those of the certificate', async () => {
  const files = `${join(dir, 'a.crt')},${join(dir, 'a.key')}`;
  const [own, given] = await readSniPairs([files, `${files}:X.example.com, *.y.example.com`]);
  expect(own?.names).toEqual(expect.arrayContaining(['a.example.com', '*.b.example.com']));
  expect(given?.names).toEqual(['x.example.com', '*.y.example.com']);
  expect(sniFiles([files])).toEqual([join(dir, 'a.crt'), join(dir, 'a.key')]);
});

it('refuses a pair that would be shown to nobody', async () => {
  const { ca } = await ensurePki({ certDir: join(dir, 'pki'), bindAddress: '127.0.0.1', names: namesOf('orch') });
  const files = `${ca.certFile},${ca.keyFile}`;
  await expect(readSniPairs([files])).rejects.toThrow('contains no DNS names');
  expect((await readSniPairs([`${files}:a.example.com`]))[0]?.names).toEqual(['a.example.com']);
});

it.each(['a.crt', 'a.crt,a.key,b', ',a.key', 'a.crt,a.key:', 'a.crt,a.key:a b', 'a.crt,a.key:x:y', 'a,b:*'])(
  'refuses %j',
  (entry) => {
    expect(() => checkSniPairs([entry])).toThrow(RangeError);
  },
);

it.each([
  ['a.example.com', 0],
  ['A.Example.com', 0],
  ['x.b.example.com', 1],
  ['special.b.example.com', 2],
  ['y.x.b.example.com', undefined],
  ['b.example.com', undefined],
])('shows what has the name %s', (asked, expected) => {
  const pairs = [{ names: ['a.example.com'] }, { names: ['*.b.example.com'] }, { names: ['special.b.example.com'] }];
  expect(pairFor(pairs, asked)).toBe(expected === undefined ? undefined : pairs[expected]);
});
