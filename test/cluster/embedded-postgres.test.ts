import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const PATH = '/api/v1/namespaces/default/configmaps';
const MAX_WAIT_MS = 10_000;

let server: Standalone | undefined;
let api: Api | undefined;
afterEach(async () => {
  api?.close();
  await server?.stop();
});

async function start(...args: readonly string[]) {
  server = await startStandalone({ args, makesData: true });
  api = new Api(server);
  const data = join(server.postgresDir, 'data');
  const postmaster = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const control = join(data, 'global', 'pg_control');
  // As the kernel does when memory is short.
  const kill = () => process.kill(postmaster(), 'SIGKILL');
  /** Kills it so that it cannot be started. */
  const breakDown = () => {
    renameSync(control, `${control}.away`);
    kill();
  };
  return { server, api, kill, breakDown, repair: () => renameSync(`${control}.away`, control) };
}

const create = async (client: Api, name: string) => (await client.post(PATH, { metadata: { name } })).status;
const metric = async (client: Api, name: string) =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec((await client.get('/metrics')).text)?.[1]);
const isAway = async (client: Api) => (await metric(client, 'orch_embedded_postgres_up')) === 0;

describe('orch standalone', () => {
  test('starts its PostgreSQL again when it was killed: writes go on, nothing is lost, watches stay open', async () => {
    const { api: client, kill } = await start();
    expect(await create(client, 'before')).toBe(201);
    const watch = await client.watch(`${PATH}?watch=1`);
    for (let round = 1; round <= 3; round++) {
      kill();
      // What is left of it may commit for a moment still.
      const noticed = async () => (await metric(client, 'orch_embedded_postgres_ends_total')) === round;
      await waitUntil('the end is noticed', MAX_WAIT_MS, noticed);
      await waitUntil('writes go on', MAX_WAIT_MS, async () => (await create(client, `after-${round}`)) === 201);
    }
    expect((await client.get(`${PATH}/before`)).status).toBe(200);
    const events = await watch.until(({ object }) => object.metadata.name === 'after-3');
    expect(events.map(({ type }) => type)).not.toContain('ERROR');
    watch.close();
    expect(await metric(client, 'orch_embedded_postgres_up')).toBe(1);
  });

  test('goes on by itself once PostgreSQL can be started, and refuses until then with 503 or 504 and Retry-After', async () => {
    const { api: client, breakDown, repair } = await start();
    breakDown();
    await waitUntil('the end is noticed', MAX_WAIT_MS, () => isAway(client));
    const refused = await client.post(PATH, { metadata: { name: 'during' } });
    expect([503, 504]).toContain(refused.status);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await client.get('/readyz')).status).toBe(500);
    await waitUntil('attempts fail', MAX_WAIT_MS, async () => {
      return (await metric(client, 'orch_embedded_postgres_start_failures_total')) > 1;
    });
    expect(await isAway(client)).toBe(true);
    repair();
    await waitUntil('writes go on', MAX_WAIT_MS, async () => (await create(client, 'after')) === 201);
  });

  test('ends within seconds of SIGTERM though its PostgreSQL is away', async () => {
    const { server: orch, api: client, breakDown } = await start();
    const watch = await client.watch(`${PATH}?watch=1`);
    breakDown();
    await waitUntil('the end is noticed', MAX_WAIT_MS, () => isAway(client));
    const began = performance.now();
    await orch.process.kill('SIGTERM');
    expect(performance.now() - began).toBeLessThan(8_000);
    watch.close();
  });

  test('ends with an error when PostgreSQL cannot be kept running', async () => {
    const { server: orch, breakDown } = await start('--embedded-postgres-timeout=2s');
    breakDown();
    await waitUntil('it has ended', 20_000, () => !orch.process.running);
    expect(orch.process.exitCode).toBe(1);
    const log = readFileSync(orch.process.logFile, 'utf8');
    expect(log).toMatch(/component failed, shutting down.*PostgreSQL ended at once/);
  });
});
