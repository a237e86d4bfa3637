import { lstatSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ContainerMount } from '../../containers.js';
import { RuntimeError } from '../../runtime-error.js';
import { confinedPath } from '../images/confined-path.js';

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

/** Returns whether a path goes through a symbolic link below a folder. */
function hasLink(folder: string, path: string): boolean {
  const names = path.split('/').filter((name) => name !== '');
  return names.some((_, index) =>
    lstatSync(join(folder, ...names.slice(0, index + 1)), { throwIfNoEntry: false })?.isSymbolicLink(),
  );
}

/**
 * Returns the mounts with the places in a root that their paths mean, so that none is made through a link that leads
 * elsewhere: neither one of the image nor one of a volume that another mount lies in. Shorter paths come first.
 *
 * @param root of the container, in which nobody else writes
 * @throws RuntimeError `InvalidArgument` for a mount that cannot be made
 */
export async function placedMounts(root: string, mounts: readonly ContainerMount[]): Promise<ContainerMount[]> {
  const placed: ContainerMount[] = [];
  for (const mount of [...mounts].sort((a, b) => a.containerPath.length - b.containerPath.length)) {
    if (!statSync(mount.hostPath, { throwIfNoEntry: false }))
      throw new RuntimeError('InvalidArgument', `failed to mount ${mount.hostPath}: no such file or directory`);
    const full = await confinedPath(root, mount.containerPath, mkdir);
    const containerPath = `/${relative(root, full ?? root)}`;
    const under = placed.findLast((other) => isWithin(containerPath, other.containerPath));
    const isLink = under
      ? hasLink(under.hostPath, relative(under.containerPath, containerPath))
      : lstatSync(join(root, containerPath), { throwIfNoEntry: false })?.isSymbolicLink();
    if (isLink)
      throw new RuntimeError('InvalidArgument', `failed to mount at ${mount.containerPath}: it is a symbolic link`);
    placed.push({ ...mount, containerPath });
  }
  return placed;
}

/** Makes a working directory, if the image does not have it. */
export async function makeFolder(root: string, path: string): Promise<void> {
  const full = await confinedPath(root, path, mkdir);
  if (full !== undefined && !lstatSync(full, { throwIfNoEntry: false })) await mkdir(full);
}
