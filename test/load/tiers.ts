import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Cluster, type ManagedProcess, startCluster } from '../../tools/up/index.js';
import type { Endpoint } from './connection.js';
import { benchResource, inNamespace, type Resource } from './resource.js';
import { addressOf } from './target.js';
import { ServerProcesses } from './usage.js';

const IDLE_MS = 5_000;

export interface TiersShape {
  readonly apiServers: number;
  /** With none the api-servers serve watches. */
  readonly gateways: number;
  /** Returns the URLs at which watches are opened. */
  readonly watched: (cluster: Cluster) => readonly string[];
  /** Names the objects. */
  readonly run: string;
  /** Users who may do nothing of themselves: bearer tokens, and whose each is. */
  readonly strangers?: Readonly<Record<string, string>>;
}

/** A cluster whose first api-server takes the writes. */
export interface Tiers {
  readonly cluster: Cluster;
  /** The load balancer. */
  readonly entry: Endpoint;
  readonly writes: Endpoint;
  readonly watches: readonly Endpoint[];
  readonly resource: Resource;
}

/** Runs something with a cluster of our own with an empty database, and ends that. */
export async function withTiers<T>(settings: TiersShape, run: (tiers: Tiers) => Promise<T>): Promise<T> {
  const { apiServers, gateways, watched, strangers = {} } = settings;
  const dir = mkdtempSync(join(tmpdir(), 'bench-tiers-'));
  chmodSync(dir, 0o711); // PostgreSQL may run as another user
  const cluster = await startCluster({ dir, apiServers, gateways, strangers });
  try {
    const endpoint = (url: string): Endpoint => ({ ...addressOf(url), tls: { ca: cluster.ca }, token: cluster.token });
    const writes = endpoint(cluster.apiServerUrls[0] ?? cluster.url);
    const resource = await inNamespace(writes, await benchResource(writes), `${settings.run}-tiers`);
    return await run({
      cluster,
      entry: endpoint(cluster.url),
      writes,
      watches: watched(cluster).map(endpoint),
      resource,
    });
  } finally {
    await cluster.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}

/** CPU times in microseconds. */
export interface TierCosts {
  readonly postgres: number;
  readonly nats: number;
  /** Cost of the api-server that takes the writes. */
  readonly writing: number;
  /** Cost of all other api-servers and gateways. */
  readonly watching: number;
}

/** Returns the costs so far. */
export function tierCosts({ postgres, nats, apiServers, gateways }: Cluster): TierCosts {
  const [writing, ...others] = apiServers;
  return {
    postgres: cpu([postgres]),
    nats: cpu([nats]),
    writing: cpu(writing ? [writing] : []),
    watching: cpu([...others, ...gateways]),
  };
}

/**
 * Measures the CPU of PostgreSQL and NATS for each server and second without writes: polls of the heads, heartbeats.
 */
export async function idleCosts(cluster: Cluster): Promise<Pick<TierCosts, 'postgres' | 'nats'>> {
  const before = tierCosts(cluster);
  await pause(IDLE_MS);
  const after = tierCosts(cluster);
  const each = ((cluster.apiServers.length + cluster.gateways.length) * IDLE_MS) / 1000;
  return { postgres: (after.postgres - before.postgres) / each, nats: (after.nats - before.nats) / each };
}

const cpu = (processes: readonly ManagedProcess[]): number =>
  new ServerProcesses(() => processes.map(({ pid }) => pid)).cpuMicroseconds();
