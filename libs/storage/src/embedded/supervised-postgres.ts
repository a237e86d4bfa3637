import { setTimeout as sleep } from 'node:timers/promises';
import { type ClaimedFolder, claimFolder } from './claim-folder.js';
import type { EmbeddedOptions, EmbeddedPostgres } from './embedded-options.js';
import { bytesOf, isOutOfSpace } from './free-space.js';
import { logOf, startServer } from './launch.js';
import { RestartBudget } from './restart-budget.js';

/** How to run a PostgreSQL that is started again when it ends. */
export interface SupervisionOptions extends EmbeddedOptions {
  /**
   * Milliseconds without a server after which it is given up; default 300,000. Time during which its disk is full does
   * not count: that ends when space is freed.
   */
  readonly restartTimeout?: number;
  /** Milliseconds of the pause before it is started again, which doubles up to 3 s; default 250. */
  readonly firstPause?: number;
  /** Milliseconds after which a server that runs counts as well again; default 60,000. */
  readonly stableAfter?: number;
  /** Notified when the server ends and is started again. */
  readonly observer?: SupervisionObserver;
}

/** Observer of a supervised PostgreSQL. Its methods must not throw. */
export interface SupervisionObserver {
  /** The server ended without being asked to, and will be started again. */
  ended?(pid: number): void;
  /** Starting failed, and is retried after `pause` milliseconds. */
  startFailed?(error: Error, pause: number, outOfSpace: boolean): void;
  /** It runs again. */
  restarted?(pid: number): void;
}

/** A PostgreSQL that is started again, on the same folder and URL, whenever it ends by itself. */
export class SupervisedPostgres {
  /** For {@link StoreOptions.url}; the same however often it is started. */
  readonly url: string;
  readonly #ending = new AbortController();
  readonly #observer: SupervisionObserver;
  readonly #budget: RestartBudget;
  readonly #supervised: Promise<void>;
  #server: EmbeddedPostgres | undefined;
  #giveUp: (error: Error) => void = () => undefined;
  /** Resolves with the last error once the server is given up; stays pending otherwise. */
  readonly givenUp = new Promise<Error>((resolve) => {
    this.#giveUp = resolve;
  });

  private constructor(
    private readonly options: SupervisionOptions,
    private readonly folder: ClaimedFolder,
    server: EmbeddedPostgres,
  ) {
    const { observer = {}, restartTimeout: timeout = 300_000, firstPause = 250 } = options;
    this.url = server.url;
    this.#server = server;
    this.#observer = observer;
    this.#budget = new RestartBudget({ timeout, firstPause });
    this.#supervised = this.#supervise(server);
  }

  /**
   * Starts and supervises a server.
   * @param ending aborts the start: a server that was launched is stopped again
   * @throws Error when another process uses the directory, when it cannot be started for the first time, or when the
   * start was aborted
   */
  static async start(options: SupervisionOptions, ending?: AbortSignal): Promise<SupervisedPostgres> {
    const folder = await claimFolder(options);
    try {
      return new SupervisedPostgres(options, folder, await startServer(options, folder, ending));
    } catch (error) {
      folder.release();
      throw error;
    }
  }

  /** Process id of the postmaster; undefined while none runs. */
  get pid(): number | undefined {
    return this.#server?.pid;
  }

  /** Shuts it down, or ends the attempts to start it. Afterwards its folder is unlocked. */
  async stop(): Promise<void> {
    this.#ending.abort();
    try {
      await this.#server?.stop();
      await this.#supervised;
    } finally {
      this.folder.release();
    }
  }

  async #supervise(first: EmbeddedPostgres): Promise<void> {
    const { stableAfter = 60_000 } = this.options;
    for (let server: EmbeddedPostgres | undefined = first; ; ) {
      const began = performance.now();
      await server.exited;
      this.#server = undefined;
      if (this.#ending.signal.aborted) return;
      this.#observer.ended?.(server.pid);
      if (performance.now() - began >= stableAfter) this.#budget.reset();
      server = await this.#startAgain();
      this.#server = server;
      if (server === undefined) return;
      // `stop` was called before there was a server to stop.
      if (this.#ending.signal.aborted) return server.stop();
      this.#observer.restarted?.(server.pid);
    }
  }

  /** Undefined when it was given up, or is being stopped. */
  async #startAgain(): Promise<EmbeddedPostgres | undefined> {
    const { signal } = this.#ending;
    const { root } = this.folder;
    this.#budget.begin();
    for (let [failure, logged]: [Error | undefined, number] = [undefined, 0]; ; ) {
      const outOfSpace = await isOutOfSpace(root, logOf(root), logged).catch(() => false);
      const pause = this.#budget.next(outOfSpace);
      if (pause === undefined) {
        this.#giveUp(failure ?? new Error('PostgreSQL ends repeatedly, soon after each start'));
        return undefined;
      }
      if (failure) this.#observer.startFailed?.(failure, pause, outOfSpace);
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      logged = await bytesOf(logOf(root));
      try {
        return await startServer(this.options, this.folder, signal);
      } catch (error) {
        failure = error as Error;
      }
      if (signal.aborted) return undefined;
    }
  }
}
