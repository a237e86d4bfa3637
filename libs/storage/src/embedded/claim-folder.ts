import { chown, mkdir, realpath } from 'node:fs/promises';
import type { EmbeddedOptions } from './embedded-options.js';
import { lockFolder } from './folder-lock.js';
import { findIdentity } from './identity.js';
import type { ClusterFolder } from './launch.js';

/** The folder of a cluster, locked for this process until it is released. */
export interface ClaimedFolder extends ClusterFolder {
  release(): void;
}

/** Creates the folder of a cluster, if it does not exist, and locks it. @throws Error when another process holds it */
export async function claimFolder({ dataDir, runAs }: EmbeddedOptions): Promise<ClaimedFolder> {
  const identity = await findIdentity(runAs);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const root = await realpath(dataDir);
  if (identity.switched) await chown(root, identity.uid, identity.gid);
  const lock = await lockFolder(root);
  if (lock === undefined) throw new Error(`another server uses ${root}: stop it, or give this one a folder of its own`);
  return { root, identity, release: () => lock.release() };
}
