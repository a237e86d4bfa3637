import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePki } from '@orch/authentication';
import { silentLogger } from '@orch/runtime';
import { ManualClock } from '@orch/runtime/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connectionOf } from './connection.js';

const DAY = 86_400_000;
let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'components-'));
  await ensurePki({ certDir: dir, bindAddress: '127.0.0.1', names: { apiServiceName: 'a' }, extraHosts: [] });
});
afterEach(() => rm(dir, { recursive: true }));

it('a component has a certificate of its user, which is renewed while it runs', async () => {
  const clock = new ManualClock(Date.now());
  const warnings: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) };
  const api = { url: () => 'https://127.0.0.1:1', authority: () => 'ca', logger };
  const user = { name: 'system:node:n1', groups: ['system:nodes'] };
  const { connection, stop } = await connectionOf(user, dir, api, clock);
  const file = connection.certFile ?? '';
  const read = async () => new X509Certificate(await readFile(file, 'utf8'));
  const first = await read();
  expect(connection).toMatchObject({ server: 'https://127.0.0.1:1', ca: 'ca', keyFile: file });
  expect(first.toLegacyObject().subject).toMatchObject({ CN: 'system:node:n1', O: 'system:nodes' });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  // As if the machine had slept: the clock of the wall counts.
  await clock.advance(291 * DAY);
  expect((await read()).serialNumber).toBe(first.serialNumber);
  await clock.advance(2 * DAY);
  await expect.poll(async () => (await read()).serialNumber).not.toBe(first.serialNumber);
  expect(Date.parse((await read()).validTo) - clock.wall()).toBeGreaterThan(360 * DAY);
  await stop();
  expect([clock.pending, warnings]).toEqual([0, []]);
});
