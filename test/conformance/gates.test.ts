import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { EXECUTABLE } from '../../tools/up/index.js';
import { Api, type ApiList } from '../support/api.js';
import { startStandalone } from '../support/standalone.js';
import { configMaps, createAll, expectStatus } from './conformance.js';

/** A server with gates set as asked, and three ConfigMaps. */
async function withGates(gates: string) {
  const server = await startStandalone({ args: [`--feature-gates=${gates}`] });
  const api = new Api(server);
  onTestFinished(async () => {
    api.close();
    await server.stop();
  });
  await createAll(api, 'default', ['a', 'b', 'c']);
  const list = async (query: string) =>
    expectStatus(await api.get(`${configMaps('default')}?${query}`), 200).json<ApiList>();
  return { api, list };
}

test('without APIListChunking, limit and continue are as if they were not there', async () => {
  const { api, list } = await withGates('APIListChunking=false');
  for (const query of ['limit=1', 'limit=1&resourceVersion=0', 'continue=nonsense&limit=2']) {
    const { items, metadata } = await list(query);
    expect(items).toHaveLength(3);
    expect(Object.keys(metadata)).toEqual(['resourceVersion']);
  }
  expectStatus(await api.delete(`${configMaps('default')}?limit=1`), 200);
  expect((await list('')).items).toHaveLength(0);
});

test('without RemainingItemCount, pages do not say how many come behind them', async () => {
  const { list } = await withGates('RemainingItemCount=false');
  const { items, metadata } = await list('limit=1');
  expect(items).toHaveLength(1);
  expect(metadata.continue).toBeTruthy();
  expect(metadata).not.toHaveProperty('remainingItemCount');
});

test.each([
  ['Nope=true', 'unrecognized feature gate: Nope'],
  [
    'WatchList=perhaps',
    'invalid value of WatchList=perhaps, err: strconv.ParseBool: parsing "perhaps": invalid syntax',
  ],
  ['OpenAPIV3=false', 'cannot set feature gate OpenAPIV3 to false, feature is locked to true'],
])('--feature-gates=%s is refused in a line, with exit code 2', async (gates, why) => {
  for (const service of [['standalone'], ['api-server', '--postgres-url=postgres://nowhere']]) {
    const run = promisify(execFile)(process.execPath, [EXECUTABLE, ...service, `--feature-gates=${gates}`]);
    await expect(run).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: `Error: --feature-gates: ${why}\nSee --help for usage.\n`,
    });
  }
});
