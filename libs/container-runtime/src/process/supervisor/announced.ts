import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CONTAINER_FILES } from '../state/records.js';

/**
 * Returns the first process of a container's namespaces, as their builder has announced it; undefined where there is
 * none, or the id is that of another process by now.
 *
 * @param folder of the container
 */
export function announcedProcess(folder: string): number | undefined {
  try {
    const info = JSON.parse(readFileSync(join(folder, CONTAINER_FILES.info), 'utf8'));
    const pid = Number(info['child-pid']);
    return readlinkSync(`/proc/${pid}/ns/pid`) === `pid:[${info['pid-namespace']}]` ? pid : undefined;
  } catch {
    return undefined; // not announced, or gone
  }
}
