import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeClient } from '../describe-client.js';
import { install, installed, needed } from '../installed.js';

const PROGRAM = fileURLToPath(new URL('./checks.mjs', import.meta.url));
/** The last release that runs on Node 20. */
const VERSION = '1.4.0';

describeClient({
  name: `@kubernetes/client-node ${VERSION}`,
  checks: [
    'create, get, list, update, delete',
    'errors have their codes and reasons',
    'patches: JSON, merge, strategic merge',
    'delete answers with the type that the client expects',
    'a list in pages',
    'objects of any kind, found by discovery',
    'reads what says little: pods',
    'reads what says little: nodes, and what is free of them',
    'reads what says little: policies of networks and of disruptions',
    'reads what says little: workloads and autoscalers',
    'reads what says little: events, services and claims',
    'a watch goes on from a version',
    'a watch from an expired version is 410',
    'an informer goes on when the server was killed',
  ],
  program() {
    const folder = installed(`javascript-client-${VERSION}`, (target) => {
      // Without a package of its own, npm would look for one in the folders above.
      writeFileSync(join(target, 'package.json'), '{"private":true}');
      const quiet = ['--no-audit', '--no-fund', '--no-package-lock'];
      install(needed('npm', 'npm'), ['install', ...quiet, `@kubernetes/client-node@${VERSION}`], target);
    });
    return { command: process.execPath, args: [PROGRAM], env: { NODE_CLIENT: folder } };
  },
});
