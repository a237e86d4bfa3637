import { rmSync } from 'node:fs';
import type { Cluster, ClusterSettings } from '../../../tools/up/index.js';
import { startCluster } from '../../support/cluster.js';
import { keepFolder, makeServerFolder } from '../../support/run-folder.js';
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
  const dir = makeServerFolder('torture-');
  log(`starting a cluster in ${dir}`);
  const undo = await prepare?.(dir);
  const executable = mutations.length > 0 ? mutant(dir, mutations) : undefined;
  const links = new Links(through);
  let clean = false;
  try {
    const cluster = await startCluster({
      ...settings,
      ...(preparing && { prepare: preparing }),
      dir,
      ...(executable !== undefined && { executable: () => executable, isMutant: true }),
      // What is prepared may be the disk, which is to be filled as the first start fills it.
      makesData: prepare !== undefined,
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
    else log(`logs of the servers are kept in ${keepFolder(dir)}`);
  }
}
