import { readdirSync } from 'node:fs';
import type { ManagedProcess } from '../../../tools/up/index.js';
import { rest } from '../traffic/context.js';
import type { Usage } from '../validators/leaks.js';
import { scrape } from './scrape.js';
import type { Stage } from './stage.js';

/** Looks at a process; the fewest of several count, with enough garbage in between for the collector to run. */
const LOOKS = 12;
const REQUESTS = 150;

/** Reads the resources that the servers of a cluster hold now. */
export async function usageOf(stage: Stage): Promise<Usage[]> {
  const { apiServers, gateways, apiServerUrls, gatewayUrls } = stage.cluster;
  const usages: Usage[] = [];
  for (const [i, server] of [...apiServers, ...gateways].entries()) {
    const url = [...apiServerUrls, ...gatewayUrls][i] ?? '';
    let least: Usage | undefined;
    for (let look = 0; look < LOOKS; look++) {
      for (let i = 0; i < REQUESTS / LOOKS; i++) await stage.api(url).get('/metrics');
      const usage = await glance(stage, server, url);
      least = least === undefined || usage.heapBytes < least.heapBytes ? usage : least;
      await rest(50, stage.signal);
    }
    if (least) usages.push(least);
  }
  return usages;
}

async function glance(stage: Stage, server: ManagedProcess, url: string): Promise<Usage> {
  const metrics = await scrape(stage, url);
  return {
    process: server.name,
    handles: readdirSync(`/proc/${server.pid}/fd`).length,
    heapBytes: metrics.sum('nodejs_heap_size_used_bytes'),
    externalBytes: metrics.sum('nodejs_external_memory_bytes'),
  };
}
