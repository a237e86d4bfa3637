import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { NamingProfile } from '@orch/machinery';
import { type Cluster, type ClusterSettings, startCluster as startEmptyCluster } from '../../tools/up/index.js';
import { copyTemplate, startsAsUsual } from './data-template.js';
import { makeServerFolder } from './run-folder.js';

export interface TestClusterSettings extends ClusterSettings {
  /** The servers make their data themselves, where they would be given a copy of what others have made otherwise. */
  readonly makesData?: boolean;
  /** The executable is this build but for defects that were put into it: it goes on with the data that this build has made. */
  readonly isMutant?: boolean;
}

/** Folders of a cluster that belong together: the database contains certificates created with the others. */
const DATA = ['postgres', 'pki'];

/** Starts a cluster for a test, whose database holds what every installation has. */
export async function startCluster(settings: TestClusterSettings): Promise<Cluster> {
  const { dir, naming = 'kubernetes' } = settings;
  mkdirSync(dir, { recursive: true });
  if (takesTemplate(settings)) await copyTemplate(`cluster-${naming}`, dir, (folder) => makeData(folder, naming));
  return startEmptyCluster(settings);
}

/** Another build makes data of its own, and roles and rights are prepared in a database that is still empty. */
const takesTemplate = ({ makesData, executable, isMutant, prepare, ...args }: TestClusterSettings): boolean =>
  !makesData &&
  (executable === undefined || isMutant === true) &&
  prepare === undefined &&
  startsAsUsual([args.serverArgs, args.apiServerArgs, args.gatewayArgs].flatMap((some = []) => some));

async function makeData(folder: string, naming: NamingProfile): Promise<void> {
  const dir = makeServerFolder('orch-cluster-');
  const cluster = await startEmptyCluster({ dir, naming, apiServers: 1, gateways: 0 });
  await cluster.stop();
  for (const name of DATA) renameSync(join(dir, name), join(folder, name));
  rmSync(dir, { recursive: true });
}
