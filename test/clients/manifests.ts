import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SHARED = process.env.ORCH_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url));

/** A folder of manifests that others have written; not part of the project, so tests of them run where it is. */
export const MANIFESTS = join(SHARED, 'manifests');

/** Whether there is anything in {@link MANIFESTS}. */
export const hasManifests = readable(MANIFESTS);

function readable(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    return false;
  }
}
