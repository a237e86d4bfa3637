import { execFileSync } from 'node:child_process';
import { accessSync, constants, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const INSTALLER = fileURLToPath(new URL('./install-packages.sh', import.meta.url));

/** Directories searched beside PATH: servers are often in those of the superuser, PostgreSQL in its own. */
const FURTHER = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin'];

/** The servers that a cluster needs, as paths of executables. */
export interface Programs {
  readonly nats: string;
  readonly nginx: string;
  readonly haproxy: string;
  readonly redis: string;
  readonly postgres: string;
  readonly initdb: string;
}

/** Finds the servers; installs the packages of missing ones when run as root. Throws when one stays missing. */
export function findPrograms(): Programs {
  const found = search();
  if (typeof found !== 'string') return found;
  execFileSync('bash', [INSTALLER], { stdio: ['ignore', 'inherit', 'inherit'] });
  const installed = search();
  if (typeof installed === 'string') throw new Error(`${installed} is not installed`);
  return installed;
}

/** Path of an executable on PATH (or in a directory of servers), undefined when there is none. */
export function which(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(':'), ...FURTHER];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

/** The programs, or the name of the first that is missing. */
function search(): Programs | string {
  const nats = which('nats-server');
  const nginx = which('nginx');
  const haproxy = which('haproxy');
  const redis = which('redis-server');
  const postgres = findPostgres();
  if (nats === undefined) return 'nats-server';
  if (nginx === undefined) return 'nginx';
  if (haproxy === undefined) return 'haproxy';
  if (redis === undefined) return 'redis-server';
  if (postgres === undefined) return 'postgres';
  return { nats, nginx, haproxy, redis, postgres, initdb: join(dirname(postgres), 'initdb') };
}

/** Debian keeps one directory a major version; the newest is taken. */
function findPostgres(): string | undefined {
  const versions = executablesUnder('/usr/lib/postgresql', 'bin/postgres');
  return versions.sort((a, b) => majorOf(b) - majorOf(a))[0] ?? which('postgres');
}

function majorOf(path: string): number {
  return Number(/postgresql\/(\d+)/.exec(path)?.[1] ?? 0);
}

function executablesUnder(root: string, program: string): string[] {
  return readdirSafely(root)
    .map((entry) => join(root, entry, program))
    .filter(isExecutable);
}

function readdirSafely(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
