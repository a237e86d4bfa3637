import { Backoff } from '@orch/runtime/work';
import { StoreUnavailableError } from '../face/errors.js';
import type { PoolStats, StoreObserver } from '../face/observer.js';
import type { DatabaseConnection } from './connection.js';
import { toStoreError } from './failures.js';

export interface PoolOptions {
  /** Connections at most. */
  readonly size: number;
  /** Connections that stay open while nobody uses them; default all. */
  readonly spare?: number;
  /** Milliseconds that a caller waits for a connection. */
  readonly acquireTimeout: number;
  /** In [0, 1): spreads reconnection attempts. */
  readonly random: () => number;
  readonly observer?: StoreObserver;
}

interface Waiter {
  readonly resolve: (connection: DatabaseConnection) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Waits between attempts to connect, milliseconds. */
const RETRY = { firstMs: 50, longestMs: 2_000 };

/**
 * A bounded set of connections, opened as needed; opening is retried with a growing, jittered delay while callers wait.
 */
export class Pool {
  readonly #idle: DatabaseConnection[] = [];
  readonly #open = new Set<DatabaseConnection>();
  readonly #waiters = new Set<Waiter>();
  #connecting = 0;
  #closed = false;
  #lastFailure: unknown;
  #wakeBackoff: () => void = () => undefined;

  constructor(
    private readonly connect: () => Promise<DatabaseConnection>,
    private readonly options: PoolOptions,
  ) {}

  /**
   * Lends a connection for as long as `work` runs.
   * @throws StoreUnavailableError when none is to be had in time; what `work` throws, mapped by {@link toStoreError} as a read
   */
  async use<T>(work: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    const connection = await this.acquire();
    try {
      return await work(connection);
    } catch (error) {
      throw toStoreError(error, false);
    } finally {
      this.release(connection);
    }
  }

  /** Lends a connection like {@link use}, for work that does not fit one function; the caller releases it. */
  acquire(): Promise<DatabaseConnection> {
    if (this.#closed) return Promise.reject(new StoreUnavailableError('the store is closed', false));
    const idle = this.#idle.pop();
    if (idle) return Promise.resolve(idle);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        resolve,
        reject,
        timer: setTimeout(() => {
          this.#waiters.delete(waiter);
          reject(new StoreUnavailableError('no connection to the database', false, { cause: this.#lastFailure }));
        }, this.options.acquireTimeout),
      };
      this.#waiters.add(waiter);
      this.#grow();
    });
  }

  release(connection: DatabaseConnection): void {
    if (connection.broken || this.#closed) {
      void connection.end();
      if (!this.#closed && this.#waiters.size > 0) this.#grow();
      return;
    }
    const [next] = this.#waiters;
    if (!next) {
      if (this.#idle.length < (this.options.spare ?? this.options.size)) this.#idle.push(connection);
      else this.#letGo(connection);
      return;
    }
    this.#waiters.delete(next);
    clearTimeout(next.timer);
    next.resolve(connection);
  }

  /** Breaks all connections, also those in use; later ones are new. */
  breakAll(): void {
    for (const connection of [...this.#open]) connection.destroy();
  }

  stats(): PoolStats {
    return { open: this.#open.size, idle: this.#idle.length, waiting: this.#waiters.size };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wakeBackoff();
    for (const waiter of this.#waiters) {
      clearTimeout(waiter.timer);
      waiter.reject(new StoreUnavailableError('the store is closed', false));
    }
    this.#waiters.clear();
    await Promise.all([...this.#open].map((connection) => connection.end()));
  }

  #grow(): void {
    // One attempt for every waiter that is not yet covered, within the size.
    if (this.#connecting >= this.#waiters.size || this.#open.size + this.#connecting >= this.options.size) return;
    this.#connecting++;
    void this.#connectUntilNobodyWaits().finally(() => {
      this.#connecting--;
    });
  }

  async #connectUntilNobodyWaits(): Promise<void> {
    const backoff = new Backoff({ ...RETRY, random: this.options.random });
    while (this.#waiters.size > 0 && !this.#closed) {
      try {
        const connection = await this.connect();
        this.#adopt(connection);
        return;
      } catch (error) {
        this.#lastFailure = error;
        this.options.observer?.connectFailed?.(error);
        await this.#pause(backoff.next());
      }
    }
  }

  #adopt(connection: DatabaseConnection): void {
    this.#open.add(connection);
    connection.onBreak(() => {
      this.#open.delete(connection);
      const at = this.#idle.indexOf(connection);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    this.release(connection);
  }

  #letGo(connection: DatabaseConnection): void {
    this.#open.delete(connection);
    void connection.end();
  }

  #pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wakeBackoff = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
