import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ClientProgram } from '../client-program.js';
import { describeClient } from '../describe-client.js';
import { install, installed, needed } from '../installed.js';

const FOLDER = fileURLToPath(new URL('.', import.meta.url));
/** Version of the library for plug-ins that the pages are in. */
const VERSION = '0.14.0';
const PACKAGES = [`@kinvolk/headlamp-plugin@${VERSION}`, 'esbuild@0.28.2', 'puppeteer-core@24.43.1'];

describeClient({
  name: `the pages of Headlamp ${VERSION}`,
  checks: [],
  connects: [
    'lists show what there is, and what comes',
    'YAML is shown, and applied',
    'logs, as they are written',
    'a shell',
    'scale',
    'delete',
  ],
  program: headlamp,
  servers: ['two tiers'],
});

function headlamp(): ClientProgram {
  const folder = installed(`headlamp-${VERSION}`, (target) => {
    writeFileSync(join(target, 'package.json'), '{"private":true}');
    const quiet = ['--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
    install(needed('npm', 'npm'), ['install', ...quiet, ...PACKAGES], target);
  });
  for (const file of ['pages.jsx', 'bundle.mjs']) copyFileSync(join(FOLDER, file), join(folder, file));
  install(process.execPath, ['bundle.mjs'], folder);
  const env = { HEADLAMP: folder, CHROMIUM: needed('chromium', 'Chromium') };
  return { command: process.execPath, args: [join(FOLDER, 'checks.mjs')], env };
}
