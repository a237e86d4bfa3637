import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findPrograms, freePort, ManagedProcess, postgresUrl, waitUntil } from '../../../tools/up/index.js';
import { sql } from './sql.js';
import { withEnvironment } from './with-environment.js';

const SOURCE = fileURLToPath(new URL('./power-loss.c', import.meta.url));

/** A PostgreSQL on a disk that loses, with the power, whatever was not flushed to it. Needs a C compiler, and root or not being it. */
export class FragilePostgres {
  #server: ManagedProcess | undefined;

  private constructor(
    private readonly dir: string,
    private readonly fsync: boolean,
    readonly port: number,
  ) {}

  static async start(dir: string, fsync: boolean): Promise<FragilePostgres> {
    chmodSync(dir, 0o711);
    const postgres = new FragilePostgres(dir, fsync, await freePort());
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', postgres.#library, SOURCE, '-ldl']);
    mkdirSync(postgres.#data);
    if (asRoot) execFileSync('chown', ['postgres:', postgres.#data]);
    // Small segments: a whole file is copied at every flush.
    const options = ['-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--locale=C', '--wal-segsize=1'];
    asOwner([findPrograms().initdb, '-D', postgres.#data, ...options]);
    await postgres.#start();
    return postgres;
  }

  get url(): string {
    return postgresUrl(this.port);
  }

  /** An orderly stop after which everything is on the disk. */
  async settle(): Promise<void> {
    await this.#server?.stop();
    await this.#start();
  }

  /** All processes end at once, and of the files there is what was flushed; then it starts again. */
  async losePower(): Promise<void> {
    await this.#server?.kill('SIGKILL');
    renameSync(this.#data, join(this.dir, `lost-${Date.now()}`));
    await this.#start(this.#image);
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  get #data(): string {
    return join(this.dir, 'data');
  }

  get #image(): string {
    return join(this.dir, 'image');
  }

  get #library(): string {
    return join(this.dir, 'power-loss.so');
  }

  /** @param from the directory that becomes the data; they are there already when absent */
  async #start(from?: string): Promise<void> {
    if (from !== undefined) execFileSync('cp', ['-a', from, this.#data]);
    execFileSync('rm', ['-rf', this.#image]);
    execFileSync('cp', ['-a', this.#data, this.#image]);
    const { port } = this;
    const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: this.#data, max_connections: 200 };
    const all = { ...settings, fsync: this.fsync ? 'on' : 'off' };
    this.#server = new ManagedProcess({
      name: 'fragile-postgres',
      command: findPrograms().postgres,
      args: ['-D', this.#data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      cwd: this.#data,
      logFile: join(this.dir, 'postgres.log'),
      childrenFollow: true,
      stopSignal: 'SIGINT',
      ready: () => sql(this.url, 'SELECT 1').then(Boolean, () => false),
      ...(asRoot && { user: owner() }),
    });
    const environment = { LD_PRELOAD: this.#library, POWER_LOSS_DATA: this.#data, POWER_LOSS_IMAGE: this.#image };
    await withEnvironment(environment, async () => this.#server?.start());
    await waitUntil('it answers', 60_000, () => sql(this.url, 'SELECT 1').then(Boolean, () => false));
  }
}

/** PostgreSQL refuses to run as root; its package makes this user. */
const asRoot = process.getuid?.() === 0;

function owner(): { uid: number; gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

function asOwner([command = '', ...args]: readonly string[]): void {
  execFileSync(command, args, { cwd: dirname(SOURCE), stdio: ['ignore', 'ignore', 'inherit'], ...(asRoot && owner()) });
}
