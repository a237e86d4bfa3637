import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { NetworkNamespace } from '../stage/network-namespace.js';
import { scrape } from '../stage/scrape.js';
import type { Stage } from '../stage/stage.js';
import { rest } from '../traffic/context.js';
import { scaled, staged } from './scenario.js';

const PROGRAM = fileURLToPath(new URL('../stage/distant-watchers.ts', import.meta.url));
const PATH = '/api/v1/namespaces/default/configmaps';
const REAPED_MS = 60_000;

export const halfOpen = staged(
  {
    name: 'half-open',
    fault: 'the network between a gateway and its clients is cut, and neither side is told',
    pass: 'connections that are half-open are gone within 60 s, while others go on',
  },
  { apiServers: 1, gateways: 1, serverArgs: ['--bind-address=0.0.0.0'] },
  async (stage, settings) => {
    const [url = ''] = stage.cluster.gatewayUrls;
    const count = scaled(settings, 100, 20);
    const network = NetworkNamespace.create(stage.random.between(1, 250));
    const near = await stage.api(url).watch(`${PATH}?watch=1&timeoutSeconds=3600`);
    const before = await openWatches(stage, url);
    const { port } = new URL(url);
    const args = [network.host, port, stage.cluster.token, String(count), `${PATH}?watch=1&timeoutSeconds=3600`];
    const clients = network.spawn(process.execPath, ['--import', 'tsx', PROGRAM, ...args]);
    try {
      await Promise.race([once(clients.stdout ?? clients, 'data'), once(clients, 'exit')]);
      const open = await openWatches(stage, url);
      stage.must('R.answer', open === before + count, `${open} watches are open, not ${before + count}`);
      network.pull();
      await stage.recovers('half-open connections are gone', REAPED_MS, async () => {
        await rest(500, stage.signal);
        return (await openWatches(stage, url)) <= before;
      });
      stage.must('R.stream', !near.ended, 'another watch was ended as well');
    } finally {
      clients.kill('SIGKILL');
      near.close();
      network.remove();
    }
  },
);

async function openWatches(stage: Stage, url: string): Promise<number> {
  return (await scrape(stage, url)).sum('orch_watch_cache_watchers', 'resource="configmaps"');
}
