import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { configMap, configMaps, expectStatus } from './conformance.js';

let server: Standalone;
let api: Api;
beforeAll(async () => {
  server = await startStandalone({ args: ['--watch-cache-check-interval=1s'] });
  api = new Api(server);
});
afterAll(async () => {
  api.close();
  await server.stop();
});

/** Sum of a metric over all its series. */
async function metric(name: string): Promise<number> {
  const { text } = expectStatus(await api.get('/metrics'), 200);
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

describe('States in memory are compared with the database', () => {
  test('while objects of all sorts come, change and go, nothing differs', async () => {
    const path = configMaps('default');
    const stream = await api.watch(`${path}?watch=1`);
    const began = await metric('orch_watch_cache_checks_total');
    for (let round = 0; (await metric('orch_watch_cache_checks_total')) < began + 5; round++) {
      await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const name = `c${round}-${at}`;
          const data = { text: `ü€\u{1f600} ${'x'.repeat(at * 100)}`, number: '1.10' };
          expectStatus(await api.post(path, configMap(name, { data })), 201);
          expectStatus(await api.patch(`${path}/${name}`, 'merge', { data: { more: '"\\\u2028' } }), 200);
          if (at % 2 === 0) expectStatus(await api.delete(`${path}/${name}`), 200);
        }),
      );
    }
    expect(await metric('orch_watch_cache_mismatches_total')).toBe(0);
    expect(stream.status).toBe(200);
    const first = await stream.next();
    expect(first?.type).toBe('ADDED');
    stream.close();
  });
});
