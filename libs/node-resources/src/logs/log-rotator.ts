import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isNotFound, type Runtime } from '@orch/container-runtime';
import type { Clock, Logger } from '@orch/runtime';
import { Periodic } from '../periodic.js';

/** Dependencies of {@link LogRotator}. */
interface LogRotatorSettings {
  /** Runtime of the containers. */
  readonly runtime: Pick<Runtime, 'listContainers' | 'containerStatus' | 'reopenContainerLog'>;
  /** Size at which a log is rotated, bytes. */
  readonly maxBytes: number;
  /** Files that are kept of a container, that which is written among them; at least 2. */
  readonly maxFiles: number;
  /** Clock of the interval, and of the names of rotated logs. */
  readonly clock: Clock;
  /** Logs failures. */
  readonly logger: Logger;
}

const EVERY_MS = 10_000;
/** Ends of names: that of a compressed log, and of one that is being compressed. */
const [GZIP, UNFINISHED] = ['.gz', '.tmp'];

/** Rotates the logs of containers: renames them, has the runtime begin anew, and compresses all but the newest. */
export class LogRotator {
  readonly #periodic: Periodic;
  /** Paths of the logs of containers that run, by their ids. */
  #paths = new Map<string, string>();

  constructor(private readonly settings: LogRotatorSettings) {
    const { clock, logger } = settings;
    const work = () => this.rotate();
    this.#periodic = new Periodic({ name: 'the rotation of logs', everyMs: EVERY_MS, work, clock, logger });
  }

  /** Begins to look at logs. */
  start(): void {
    this.#periodic.start();
  }

  /** Ends that. */
  async stop(): Promise<void> {
    await this.#periodic.stop();
  }

  /** Rotates the logs that are too large. @throws RuntimeError if containers cannot be listed */
  async rotate(): Promise<void> {
    const { runtime, logger } = this.settings;
    const known = this.#paths;
    this.#paths = new Map();
    for (const { id } of await runtime.listContainers({ state: 'running' })) {
      try {
        const path = known.get(id) ?? (await runtime.containerStatus(id)).logPath;
        this.#paths.set(id, path);
        if (path !== '') await this.#rotateLog(id, path);
      } catch (error) {
        // It may be gone since it was listed.
        if (!isNotFound(error)) logger.warn('the log of a container cannot be rotated', { id, err: String(error) });
      }
    }
  }

  async #rotateLog(id: string, logPath: string): Promise<void> {
    const { runtime, maxBytes } = this.settings;
    // Without a file, an agent ended between rename and reopening: the runtime still writes into the renamed one.
    if ((await sizeOf(logPath)) === undefined) await runtime.reopenContainerLog(id);
    if (((await sizeOf(logPath)) ?? 0) < maxBytes) return;
    await this.#tidy(logPath);
    await this.#renameLog(id, logPath);
  }

  async #renameLog(id: string, log: string): Promise<void> {
    const { runtime, clock } = this.settings;
    const rotated = `${log}.${stampOf(clock.wall())}`;
    await rename(log, rotated);
    try {
      await runtime.reopenContainerLog(id);
    } catch (error) {
      // The runtime goes on with the renamed file: back under its name, it is rotated in the next round.
      if ((await sizeOf(log)) === undefined) await rename(rotated, log);
      throw error;
    }
  }

  /** Removes what is unfinished and what is too old, and compresses the rest; the newest follows by the rename. */
  async #tidy(log: string): Promise<void> {
    const all = await rotatedLogs(log);
    const isLeft = (path: string) =>
      path.endsWith(UNFINISHED) || (!path.endsWith(GZIP) && all.includes(`${path}${GZIP}`));
    for (const path of all.filter(isLeft)) await rm(path, { force: true });
    const whole = all.filter((path) => !isLeft(path)).sort();
    const excess = Math.max(0, whole.length - (this.settings.maxFiles - 2));
    for (const path of whole.slice(0, excess)) await rm(path, { force: true });
    for (const path of whole.slice(excess)) if (!path.endsWith(GZIP)) await compress(path);
  }
}

const sizeOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ size }) => size,
    () => undefined,
  );

/** Links and pipes are left out: a container that can write into the folder of its log could lead the agent to other files. */
async function rotatedLogs(log: string): Promise<string[]> {
  const folder = dirname(log);
  const prefix = `${basename(log)}.`;
  const entries = await readdir(folder, { withFileTypes: true });
  const rotated = entries.filter((entry) => entry.isFile() && entry.name.startsWith(prefix));
  return rotated.map(({ name }) => join(folder, name));
}

/** A compressed log gets its name once it is whole, and only then the other one is removed. */
async function compress(path: string): Promise<void> {
  const unfinished = `${path}${GZIP}${UNFINISHED}`;
  const { mode } = await stat(path);
  await rm(unfinished, { force: true });
  await pipeline(createReadStream(path), createGzip(), createWriteStream(unfinished, { mode, flags: 'wx' }));
  await rename(unfinished, `${path}${GZIP}`);
  await rm(path, { force: true });
}

/** Returns a time as names of rotated logs have it: `20230411-120000`. */
const stampOf = (wall: number): string =>
  new Date(wall).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
