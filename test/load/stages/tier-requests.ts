import type { Measurement } from '../report.js';
import { withTiers } from '../tiers.js';
import { ServerProcesses } from '../usage.js';
import { requestStage } from './requests.js';
import type { TiersSettings } from './tiers.js';

const SHAPES = [1, 2] as const;

/**
 * The stage `requests` through a load balancer and both tiers, over TLS: of one server each, and of two. CPU is that of all their
 * processes, load balancer, NATS and PostgreSQL included.
 */
export async function tierRequestColumns(
  settings: TiersSettings,
): Promise<ReadonlyMap<string, readonly Measurement[]>> {
  const columns = new Map<string, readonly Measurement[]>();
  for (const servers of SHAPES) {
    const name = `orch behind a load balancer, ${servers} of each tier`;
    columns.set(name, await measured(settings, name, servers));
  }
  return columns;
}

function measured(settings: TiersSettings, name: string, servers: number): Promise<Measurement[]> {
  const shape = { apiServers: servers, gateways: servers, watched: () => [], run: settings.run };
  return withTiers(shape, ({ cluster, entry: endpoint, resource }) => {
    const processes = new ServerProcesses(() => cluster.processes.map(({ pid }) => pid));
    return requestStage({ ...settings, target: { name, endpoint, resource, processes } });
  });
}
