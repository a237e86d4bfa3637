import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findGo } from '../go-tools.js';
import { install, installed } from '../installed.js';

const MAIN = fileURLToPath(new URL('./main.go', import.meta.url));
const VERSION = 'k8s.io/component-base/version';

/**
 * Path of a kubectl that is compiled from the modules of a release, such as `1.27.16`: some minutes at first, then it is in
 * the user's cache. Throws when Go or the modules cannot be had.
 */
export function buildKubectl(release: string): string {
  const folder = installed(`kubectl-${release}`, (making) => {
    const modules = ['client-go', 'component-base', 'kubectl'].map((name) => `\tk8s.io/${name} v0${release.slice(1)}`);
    copyFileSync(MAIN, join(making, 'main.go'));
    writeFileSync(join(making, 'go.mod'), `module kubectl\n\ngo 1.20\n\nrequire (\n${modules.join('\n')}\n)\n`);
    const [major, minor] = release.split('.');
    const named = [`gitVersion=v${release}`, `gitMajor=${major}`, `gitMinor=${minor}`];
    const flags = ['-s', '-w', ...named.map((value) => `-X ${VERSION}.${value}`)].join(' ');
    install(findGo(), ['build', '-mod=mod', '-ldflags', flags, '-o', 'kubectl', '.'], making);
  });
  return join(folder, 'kubectl');
}
