import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { install, installed, needed } from '../installed.js';

/** The last release that runs on Node 20. */
export const JAVASCRIPT_CLIENT = '1.4.0';

/** A folder whose `node_modules` holds `@kubernetes/client-node`. */
export function javascriptClient(): string {
  return installed(`javascript-client-${JAVASCRIPT_CLIENT}`, (target) => {
    // Without a package of its own, npm would look for one in the folders above.
    writeFileSync(join(target, 'package.json'), '{"private":true}');
    const quiet = ['--no-audit', '--no-fund', '--no-package-lock'];
    install(needed('npm', 'npm'), ['install', ...quiet, `@kubernetes/client-node@${JAVASCRIPT_CLIENT}`], target);
  });
}
