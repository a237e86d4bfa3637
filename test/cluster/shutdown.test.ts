import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const PATH = '/api/v1/namespaces/default/configmaps?watch=1&allowWatchBookmarks=true';
const WATCHES = 40;

let server: Standalone | undefined;
afterEach(() => server?.stop());

/** Shuts a server down; milliseconds from the end of the first of many watches to that of the last. None may be cut. */
async function spreadWith(...args: string[]): Promise<number> {
  server = await startStandalone({ args });
  const api = new Api(server);
  const watches = await Promise.all(Array.from({ length: WATCHES }, () => api.open('GET', PATH, {})));
  const ends = watches.map(async (watch) => {
    watch.resume();
    await once(watch, 'close');
    expect(watch.complete).toBe(true);
    return performance.now();
  });
  await server.process.stop();
  const times = await Promise.all(ends);
  api.close();
  return Math.max(...times) - Math.min(...times);
}

test('a shutdown ends watches at --shutdown-watch-rate', async () => {
  // 40 at 20 a second are two seconds; the first may be seen late on a busy machine. By default it would be 160 ms.
  expect(await spreadWith('--shutdown-watch-rate=20')).toBeGreaterThan(1_000);
});

test('but within half of --shutdown-drain-duration, so that none is cut', async () => {
  // At that rate it would be 40 s.
  await spreadWith('--shutdown-watch-rate=1', '--shutdown-drain-duration=4s');
});
