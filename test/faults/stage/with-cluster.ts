import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, type ClusterSettings, EXECUTABLE, startCluster } from '../../../tools/up/index.js';
import { Links, type Through } from './links.js';
import { type Mutation, mutant } from './mutant.js';

export interface ClusterUse
  extends Pick<ClusterSettings, 'apiServers' | 'gateways' | 'serverArgs' | 'apiServerArgs' | 'tokens' | 'strangers'> {
  readonly log?: (line: string) => void;
  /** No proxies when absent. */
  readonly through?: Through;
  /** How the servers differ from those of this build. */
  readonly mutations?: readonly Mutation[];
  /** Prepares the directory before anything starts in it; resolves with what undoes that, after all. */
  readonly prepare?: (dir: string) => Promise<() => Promise<void>>;
  /** Done when the backends run, and before any server starts. */
  readonly preparing?: ClusterSettings['prepare'];
}

/** A cluster, the proxies between its servers and its backends, and the directory that it lives in. */
export interface Premises {
  readonly cluster: Cluster;
  readonly links: Links;
  readonly dir: string;
}

/** A cluster in a new directory for as long as `use` runs. The directory stays when the use says that it was not clean. */
export async function withCluster<T extends { readonly clean: boolean }>(
  {
    log = () => {},
    prepare,
    preparing,
    through = () => false,
    serverArgs = [],
    mutations = [],
    ...settings
  }: ClusterUse,
  use: (premises: Premises) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'torture-'));
  chmodSync(dir, 0o711); // PostgreSQL may run as another user
  log(`starting a cluster in ${dir}`);
  const undo = await prepare?.(dir);
  const executable = mutations.length > 0 ? mutant(dir, mutations) : EXECUTABLE;
  const links = new Links(through);
  let clean = false;
  try {
    const cluster = await startCluster({
      ...settings,
      ...(preparing && { prepare: preparing }),
      dir,
      executable: () => executable,
      route: links.route,
      serverArgs: ['--feature-gates=WatchList=true', ...serverArgs],
    });
    try {
      const result = await use({ cluster, links, dir });
      clean = result.clean;
      return result;
    } finally {
      for (const proxy of links.all()) proxy.heal();
      await cluster.stop();
    }
  } finally {
    await links.close();
    await undo?.();
    if (clean) rmSync(dir, { recursive: true, force: true });
    else log(`logs of the servers are kept in ${dir}`);
  }
}
