import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostsOf } from '@orch/authentication';
import { namesOf } from '@orch/machinery';
import { Metrics, silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { renewalMetrics } from './metrics.js';
import type { CertificatePair } from './pair.js';
import { PairStore } from './pair-store.js';
import { RenewedCertificate } from './renewed-certificate.js';
import { SigningApi } from './testing/signing-api.js';
import { type NodeAddress, type WantedCertificate, wantedByClient, wantedByServer } from './wanted.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let dir: string;
let api: SigningApi;
let clock: ManualClock;
let running: RenewedCertificate[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'renewed-'));
  api = new SigningApi();
  clock = new ManualClock(Math.ceil(Date.now() / 1000) * 1000);
  running = [];
});
afterEach(async () => {
  await Promise.all(running.map((each) => each.stop()));
  await rm(dir, { recursive: true, force: true });
});

function certificate(
  wanted: () => WantedCertificate | undefined = () => wantedByClient('n1'),
  metrics?: Metrics,
): RenewedCertificate {
  const made: RenewedCertificate = new RenewedCertificate({
    ...{ store: new PairStore(dir, 'agent'), wanted, client: () => api.client, names: namesOf('kubernetes'), clock },
    ...{ logger: silentLogger, random: () => 0.5 },
    ...(metrics && {
      metrics: renewalMetrics(
        metrics,
        'client',
        () => made.pair(),
        () => clock.wall(),
      ),
    }),
  });
  running.push(made);
  return made;
}

const until = (isTrue: () => boolean) => expect.poll(isTrue, { interval: 5 }).toBe(true);
const requested = () => until(() => api.requests.size === 1);
const issue = async (lifetime: number) => {
  await requested();
  await api.issue(lifetime, clock.wall());
};
const subjectOf = ({ cert }: CertificatePair) => new X509Certificate(cert).subject;

/** Lets time pass, and then more, as files are written and keys are made beside the clock, until something is true. */
async function pass(ms: number, isTrue: () => boolean = () => true): Promise<void> {
  await clock.advance(ms);
  const isTrueNow = async () => {
    if (!isTrue()) await clock.advance(1_000);
    return isTrue();
  };
  await expect.poll(isTrueNow, { interval: 5 }).toBe(true);
}

test('asks as a kubelet does, and keeps what is issued for its owner alone', async () => {
  const made = certificate();
  await made.start();
  await requested();
  const { spec, metadata } = api.only;
  expect(metadata.name).toMatch(/^node-csr-[\w-]{43}$/);
  expect(spec).toMatchObject({
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['digital signature', 'client auth'],
  });
  expect(made.pair()).toBeUndefined();
  await issue(DAY);
  await until(() => made.pair() !== undefined);
  expect(subjectOf(made.pair() as CertificatePair)).toBe('O=system:nodes\nCN=system:node:n1');
  const files = await readdir(dir);
  expect(files).toHaveLength(2);
  for (const file of files) expect((await stat(join(dir, file))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(dir, 'agent-current.pem'), 'utf8')).toContain('PRIVATE KEY');
});

test('is renewed at 80 % of its life with another key, and those before it are removed', async () => {
  const made = certificate();
  await made.start();
  const seen: CertificatePair[] = [];
  made.onChange((pair) => seen.push(pair));
  await issue(DAY);
  await until(() => seen.length === 1);
  for (let round = 2; round <= 4; round++) {
    api.clean();
    await pass(0.7 * DAY);
    expect(api.requests.size).toBe(0);
    await pass(0.11 * DAY, () => api.requests.size === 1);
    await issue(DAY);
    await until(() => seen.length === round);
  }
  expect(new Set(seen.map(({ key }) => key)).size).toBe(4);
  expect((await readdir(dir)).filter((file) => file.startsWith('agent-2'))).toHaveLength(2);
});

test('a process that is ended at any step goes on with the same key and request', async () => {
  const first = certificate();
  await first.start();
  await requested();
  await first.stop(); // the key is written, and the request made
  const { name } = api.only.metadata;
  await issue(DAY); // it is issued while nobody waits
  const second = certificate();
  await second.start();
  await until(() => second.pair() !== undefined);
  expect(api.made).toBe(1);
  expect(api.only.metadata.name).toBe(name);
  await second.stop();
  const third = certificate();
  await third.start();
  expect(third.pair()).toEqual(second.pair());
  expect(api.made).toBe(1);
});

test.each([
  ['agent.key', '-----BEGIN PRIVATE KEY-----\nMIGH'],
  ['agent-current.pem', '-----BEGIN CERTIFICATE-----\nMIIB'],
])('a half of %s is not used', async (file, half) => {
  await writeFile(join(dir, file), half);
  const made = certificate();
  await made.start();
  await issue(DAY);
  await until(() => made.pair() !== undefined);
});

test('a refused request is left alone until it has been deleted, and is made again with the same key', async () => {
  const metrics = new Metrics();
  const made = certificate(undefined, metrics);
  await made.start();
  await requested();
  const { name } = api.only.metadata;
  api.deny();
  await pass(HOUR);
  expect(api.made).toBe(1);
  const { body: text } = await metrics.text();
  expect(text).toContain('kubelet_certificate_manager_client_expiration_renew_errors 1');
  expect(text).toContain('kubelet_certificate_manager_client_ttl_seconds +Inf');
  api.clean();
  await requested();
  expect(api.only.metadata.name).toBe(name);
  await issue(DAY);
  await until(() => made.pair() !== undefined);
});

test('a watch that expires whenever it begins is begun again at growing intervals', async () => {
  api.forgets = true;
  const made = certificate();
  await made.start();
  await requested();
  await pass(60_000);
  expect(api.watches).toBeGreaterThan(2);
  expect(api.watches).toBeLessThan(8);
  api.forgets = false;
  await issue(DAY);
  await pass(40_000, () => made.pair() !== undefined);
  expect(api.made).toBe(1);
});

test('failures of the API are tried again at growing intervals', async () => {
  api.failure = new Error('away');
  const made = certificate();
  await made.start();
  await pass(60_000);
  expect(api.made).toBe(0);
  api.failure = undefined;
  await pass(40_000, () => api.made === 1);
});

test('a folder that cannot be written makes no request, and one that is full later makes no second one', async () => {
  const blocked = join(dir, 'file');
  await writeFile(blocked, '');
  const store = new PairStore(join(blocked, 'pki'), 'agent'); // a file where the folder should be
  const made = new RenewedCertificate({
    ...{ store, wanted: () => wantedByClient('n1'), client: () => api.client, names: namesOf('orch'), clock },
    logger: silentLogger,
  });
  running.push(made);
  await made.start();
  await pass(60_000);
  expect(api.made).toBe(0);
  await rm(blocked);
  await pass(40_000, () => api.made === 1);
  const full = vi.spyOn(store, 'keep').mockRejectedValue(new Error('ENOSPC: no space left on device'));
  await issue(DAY);
  await pass(60_000, () => full.mock.calls.length > 2);
  expect(made.pair()).toBeUndefined();
  full.mockRestore();
  await pass(40_000, () => made.pair() !== undefined);
  expect(api.made).toBe(1);
});

test('a clock that is a year ahead takes what is issued, and asks again a tenth of its life later', async () => {
  const made = certificate();
  await made.start();
  await requested();
  await api.issue(DAY, clock.wall() - 365 * DAY);
  await until(() => made.pair() !== undefined);
  api.clean();
  await pass(0.09 * DAY);
  expect(api.made).toBe(1);
  await pass(0.02 * DAY, () => api.made === 2);
});

test('what was issued for an earlier request and has expired is asked for with another key', async () => {
  const first = certificate();
  await first.start();
  await requested();
  await first.stop();
  const { name } = api.only.metadata;
  await api.issue(DAY, clock.wall() - 2 * DAY);
  const second = certificate();
  await second.start();
  await pass(10_000, () => api.requests.size === 2);
  api.requests.delete(name);
  await issue(DAY);
  await until(() => second.pair() !== undefined);
});

test('a port asks for its addresses, waits while there are none, and asks anew when there are others', async () => {
  let addresses: NodeAddress[] = [];
  const made = certificate(() => wantedByServer('n1', addresses));
  await made.start();
  await pass(30_000);
  expect(api.made).toBe(0);
  addresses = [
    { type: 'InternalIP', address: '10.0.0.7' },
    { type: 'Hostname', address: 'n1' },
    { type: 'InternalIP', address: 'no address' },
  ];
  await pass(10_000, () => api.made === 1);
  expect(api.only.spec).toMatchObject({
    signerName: 'kubernetes.io/kubelet-serving',
    usages: ['digital signature', 'server auth'],
  });
  addresses = [...addresses, { type: 'ExternalDNS', address: 'n1.example.org' }];
  await pass(10_000, () => api.made === 2);
  const [earlier = ''] = api.requests.keys();
  api.requests.delete(earlier);
  await issue(DAY);
  await until(() => made.pair() !== undefined);
  expect(hostsOf((made.pair() as CertificatePair).cert).sort()).toEqual(['10.0.0.7', 'n1', 'n1.example.org']);
  addresses = [{ type: 'InternalIP', address: '10.0.0.8' }];
  api.clean();
  await pass(10_000, () => api.made === 3);
});
