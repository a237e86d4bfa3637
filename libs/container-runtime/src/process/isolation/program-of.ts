import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Returns the path of a program of the node. @throws Error if there is none */
export function programOf(name: string): string {
  for (const folder of ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin']) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // The next folder.
    }
  }
  throw new Error(`${name} is not installed`);
}
