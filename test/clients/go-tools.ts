import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { which } from '../../tools/up/index.js';
import { install, installed, needed } from './installed.js';

/** Release of Go that is downloaded if there is none; programs of the tests need 1.26. */
const VERSION = '1.26.8';
/** Go's names of processors. */
const PROCESSORS: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Path of the `go` command: the one on the path, else one from the module proxy that GOPROXY names, as proxies serve toolchains
 * as modules; it is kept in the user's cache. Throws when it cannot be had.
 */
export function findGo(): string {
  return which('go') ?? join(installed(`go-${VERSION}`, fetchToolchain), 'go', 'bin', 'go');
}

function fetchToolchain(folder: string): void {
  const platform = `${process.platform}-${PROCESSORS[process.arch] ?? process.arch}`;
  const edition = `v0.0.1-go${VERSION}.${platform}`;
  const proxy = (process.env.GOPROXY ?? '').split(/[,|]/).find((url) => url.startsWith('http'));
  if (!proxy) throw new Error(`Go ${VERSION} is needed: install it, or name a module proxy in GOPROXY`);
  const url = `${proxy}/golang.org/toolchain/@v/${edition}.zip`;
  const file = join(folder, 'toolchain.zip');
  install(needed('curl', 'curl'), ['--fail', '--silent', '--show-error', '--location', '--output', file, url]);
  install(needed('unzip', 'unzip'), ['-q', file, '-d', folder]);
  rmSync(file);
  renameSync(join(folder, 'golang.org', `toolchain@${edition}`), join(folder, 'go'));
  // Modules carry no modes.
  const tools = join(folder, 'go', 'pkg', 'tool', platform.replace('-', '_'));
  for (const name of readdirSync(tools)) chmodSync(join(tools, name), 0o755);
  for (const name of ['go', 'gofmt']) chmodSync(join(folder, 'go', 'bin', name), 0o755);
  execFileSync(join(folder, 'go', 'bin', 'go'), ['version']);
}
