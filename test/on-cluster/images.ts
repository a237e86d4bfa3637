import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPrograms } from '../../tools/up/index.js';
import { type ImageConfig, packImage, RootFolder } from './image.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const USERS = [
  'root:x:0:0:root:/root:/bin/sh',
  'nats:x:1000:1000::/:/bin/sh',
  'postgres:x:999:999::/var/lib/postgresql:/bin/sh',
];
/** Start script of the PostgreSQL image, which takes the variables of the usual image. */
const POSTGRES_START = `#!/bin/sh
set -eu
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA" && chmod 700 "$PGDATA"
  printf %s "$POSTGRES_PASSWORD" > /tmp/password
  initdb --username="\${POSTGRES_USER:-postgres}" --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8 --locale=C
  printf 'host all all all scram-sha-256\\n' >> "$PGDATA/pg_hba.conf"
  printf 'CREATE DATABASE "%s";\\n' "\${POSTGRES_DB:-$POSTGRES_USER}" | postgres --single -j postgres >/dev/null
fi
exec postgres -c listen_addresses='*' "$@"
`;

/** Images by what they hold; the names are those that charts and pods ask for. */
export const IMAGES = {
  now: 'docker.io/library/orch:now',
  before: 'docker.io/library/orch:before',
  nats: 'docker.io/library/nats:debian',
  haproxy: 'docker.io/library/haproxy:debian',
  postgres: 'docker.io/library/postgres:debian',
  pause: 'docker.io/library/pause:debian',
} as const;

/**
 * Makes all images as archives, from the packages of this machine and the package that `npm i -g` installs.
 *
 * @param before folder of a built tree of the release before; none is made when absent
 * @returns paths of the archives
 */
export function buildImages(dir: string, before: string | undefined): readonly string[] {
  const { nats, haproxy, postgres } = findPrograms();
  const archives: string[] = [];
  const pack = (name: keyof typeof IMAGES, root: RootFolder, config: ImageConfig) => {
    const archive = join(dir, `${name}.tar`);
    packImage(root.write('/etc/passwd', `${USERS.join('\n')}\n`), IMAGES[name], config, archive);
    archives.push(archive);
  };
  const empty = () => new RootFolder(dir);
  pack('pause', empty().program('sleep'), { Entrypoint: ['sleep', 'infinity'] });
  pack('nats', empty().shell().program(nats, '/usr/bin/nats-server'), { Entrypoint: ['nats-server'] });
  pack('haproxy', empty().shell().program(haproxy, '/usr/sbin/haproxy'), {
    Cmd: ['haproxy'],
    StopSignal: 'SIGUSR1',
  });
  pack('postgres', postgresFolder(empty().shell(), postgres), { Entrypoint: ['/usr/bin/start'], User: '999:999' });
  for (const [name, tree] of [['now', ROOT] as const, ...(before ? [['before', before] as const] : [])])
    pack(name, serverFolder(empty().shell(), tree), {
      Entrypoint: ['node', '/app/bin/orch.js'],
      Cmd: ['api-server', '--help'],
      Env: ['NODE_ENV=production'],
      User: '1000:1000',
      WorkingDir: '/app',
    });
  return archives;
}

/** Fills the image's folder as deploy/container does: Node and the package, without compiling. */
function serverFolder(root: RootFolder, tree: string): RootFolder {
  execFileSync(process.execPath, [join(tree, 'tools', 'package.mjs')], {
    cwd: tree,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  mkdirSync(join(root.path, 'app'));
  const unpack = 'tar -xzf build/package/orch-*.tgz -C "$0" --strip-components=1';
  execFileSync('sh', ['-c', unpack, join(root.path, 'app')], { cwd: tree });
  return root.program(process.execPath, '/usr/local/bin/node');
}

/** Debian's PostgreSQL lies in folders that are compiled into it. */
function postgresFolder(root: RootFolder, postgres: string): RootFolder {
  const bin = dirname(realpathSync(postgres));
  const version = /postgresql\/(\d+)\//.exec(bin)?.[1];
  if (version === undefined) throw new Error(`${bin} is none of Debian's folders of PostgreSQL`);
  for (const name of ['postgres', 'initdb', 'psql', 'pg_isready']) {
    root.program(join(bin, name), join(bin, name));
    root.link(join('/usr/local/bin', name), join(bin, name));
  }
  const lib = join(dirname(bin), 'lib');
  root.copy(lib).copy(`/usr/share/postgresql/${version}`).copy('/usr/share/zoneinfo');
  rmSync(join(root.path, lib, 'llvmjit.so'), { force: true }); // its libraries are larger than all the rest
  return root.write('/usr/bin/start', POSTGRES_START, 0o755);
}

/** A folder for images that a run makes. */
export const imageFolder = (): string => mkdtempSync(join(tmpdir(), 'orch-images-'));
