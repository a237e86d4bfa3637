import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ManagedProcess } from '../../../tools/up/index.js';
import { Api } from '../../support/api.js';
import { type Standalone, startStandalone } from '../../support/standalone.js';
import { startManager } from './components.js';

/** Compiling the controller manager. */
const BUILD_MS = 3_600_000;
/** More than the time for which a manager that has died holds its lease. */
const LEASE_MS = 30_000;
const NAMESPACES = '/api/v1/namespaces';

let server: Standalone;
let api: Api;
let manager: ManagedProcess | undefined;

beforeAll(async () => {
  server = await startStandalone({ naming: 'kubernetes', args: ['--yielding-controllers=*'] });
  api = new Api(server);
}, BUILD_MS);
afterAll(async () => {
  if (manager?.running) await manager.kill('SIGKILL');
  api.close();
  await server.stop();
});

/** Makes a namespace, waits for what comes with it, and deletes it, until it is gone. */
async function liveAndDie(name: string): Promise<void> {
  expect((await api.post(NAMESPACES, { metadata: { name } })).status).toBe(201);
  await expect.poll(() => statusOf(`${NAMESPACES}/${name}/serviceaccounts/default`), { timeout: LEASE_MS }).toBe(200);
  expect((await api.post(`${NAMESPACES}/${name}/configmaps`, { metadata: { name: 'a' } })).status).toBe(201);
  expect((await api.delete(`${NAMESPACES}/${name}`)).status).toBe(200);
  await expect.poll(() => statusOf(`${NAMESPACES}/${name}`), { timeout: LEASE_MS }).toBe(404);
}
const statusOf = async (path: string): Promise<number> => (await api.get(path)).status;

/** How many keys our controllers of namespaces have been woken with. */
async function woken(): Promise<readonly (string | undefined)[]> {
  const { text } = await api.get('/metrics');
  return ['namespace', 'serviceaccount', 'root-ca-cert-publisher'].map(
    (name) => new RegExp(`^workqueue_adds_total\\{name="${name}"\\} (\\d+)`, 'm').exec(text)?.[1],
  );
}
const logged = (text: string): number => readFileSync(server.process.logFile, 'utf8').split(text).length - 1;
const [REST, RUN] = [
  'controllers rest: a controller manager runs',
  'controllers run: no controller manager holds its lease',
];

test(
  'controllers rest while the real controller manager runs, and go on when it ends or dies',
  async () => {
    await liveAndDie('before');
    for (const [round, signal] of (['SIGTERM', 'SIGKILL'] as const).entries()) {
      manager = await startManager(server);
      await expect.poll(() => logged(REST), { timeout: LEASE_MS }).toBe(round + 1);
      const before = await woken();
      await liveAndDie(`managed-${round}`);
      expect(await woken()).toEqual(before);
      await manager.kill(signal);
      await liveAndDie(`after-${round}`);
      expect(await woken()).not.toEqual(before);
    }
    // Before the first manager there was nobody either, which was found out at the start.
    expect(logged(RUN)).toBe(3);
  },
  BUILD_MS,
);
