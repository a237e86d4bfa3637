import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSignedPair } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { type Clock, silentLogger, systemClock } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type PairSource, validityOf } from './pair.js';
import { type ServingCertificateOptions, servingCertificate } from './serving-certificate.js';

const DAY = 86_400_000;

let dir: string;
let sources: PairSource[];
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'serving-'));
  sources = [];
});
afterEach(async () => {
  await Promise.all(sources.map((each) => each.stop()));
  await rm(dir, { recursive: true, force: true });
});

async function open(options: Partial<ServingCertificateOptions> = {}, clock: Clock = systemClock): Promise<PairSource> {
  const source = await servingCertificate({
    ...{ options: { address: '0.0.0.0', certDir: dir, ...options }, node: 'n1', addresses: () => [] },
    ...{ names: namesOf('orch'), clock, logger: silentLogger },
  });
  sources.push(source);
  return source;
}

test('a self-signed certificate is kept with a key for its owner alone, used again, and replaced in time', async () => {
  const first = (await open()).pair();
  expect((await stat(join(dir, 'node-agent.key'))).mode & 0o777).toBe(0o600);
  expect((await open()).pair()).toEqual(first);
  const clock = new ManualClock(Date.now() + 300 * DAY);
  const source = await open({}, clock);
  expect(source.pair()).toEqual(first);
  const seen: unknown[] = [];
  source.onChange((pair) => seen.push(pair));
  await clock.advance(40 * DAY);
  const isReplaced = async () => {
    if (seen.length === 0) await clock.advance(3_600_000);
    return seen.length;
  };
  await expect.poll(isReplaced, { interval: 5 }).toBe(1);
  expect(validityOf(source.pair() ?? { cert: '' }).to).toBeGreaterThan(clock.wall() + 300 * DAY);
});

test('one that is broken, expired or of another node is replaced', async () => {
  const first = (await open()).pair();
  await writeFile(join(dir, 'node-agent.crt'), 'half');
  const second = (await open()).pair();
  expect(second).not.toEqual(first);
  expect((await open({}, new ManualClock(Date.now() + 400 * DAY))).pair()).not.toEqual(second);
});

test('files are followed; while they do not fit together, the pair before stays', async () => {
  const [certFile, keyFile] = [join(dir, 'a.crt'), join(dir, 'a.key')];
  const [one, two] = [await selfSignedPair('0.0.0.0', Date.now()), await selfSignedPair('0.0.0.0', Date.now())];
  await writeFile(certFile, one.cert);
  await writeFile(keyFile, one.key);
  const source = await open({ tlsCertFile: certFile, tlsPrivateKeyFile: keyFile });
  expect(source.pair()).toEqual(one);
  await writeFile(certFile, two.cert);
  expect(source.pair()).toEqual(one);
  await writeFile(keyFile, two.key);
  await expect.poll(() => source.pair()).toEqual(two);
});

test.each([
  ['one file without the other', { tlsCertFile: 'x' }, 'belong together'],
  ['files that are not there', { tlsCertFile: '/nowhere/x', tlsPrivateKeyFile: '/nowhere/y' }, 'ENOENT'],
  ['a certificate from the API without a connection', { rotateServerCertificates: true }, 'needs --kubeconfig'],
])('%s is an error at the start', async (_, options, message) => {
  await expect(open(options)).rejects.toThrow(message);
});

test('a key of another certificate is an error that quotes neither', async () => {
  const [certFile, keyFile] = [join(dir, 'a.crt'), join(dir, 'a.key')];
  const [one, two] = [await selfSignedPair('0.0.0.0', Date.now()), await selfSignedPair('0.0.0.0', Date.now())];
  await writeFile(certFile, one.cert);
  await writeFile(keyFile, two.key);
  const opened = open({ tlsCertFile: certFile, tlsPrivateKeyFile: keyFile });
  await expect(opened).rejects.toThrow(/does not belong to the certificate$/);
});

test('a folder where the key cannot be written is an error at the start', async () => {
  await writeFile(join(dir, 'file'), '');
  await expect(open({ certDir: join(dir, 'file', 'pki') })).rejects.toThrow('ENOTDIR');
  expect(await readFile(join(dir, 'file'), 'utf8')).toBe('');
});
