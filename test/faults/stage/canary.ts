import pg from 'pg';
import { rest } from '../traffic/context.js';

const EVERY_MS = 50;

/**
 * Commits a row of its own again and again in the database that the servers use: what that takes at worst is what the machine, its disk
 * and this process take, whatever servers do.
 */
export class Canary {
  /** Milliseconds of the slowest commit. */
  worst = 0;
  readonly #ended = new AbortController();
  readonly #running: Promise<void>;

  private constructor(private readonly session: pg.Client) {
    this.#running = this.#run();
  }

  static async start(url: string): Promise<Canary> {
    const session = new pg.Client({ connectionString: url });
    await session.connect();
    await session.query('CREATE TABLE IF NOT EXISTS canary (at double precision)');
    return new Canary(session);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#running;
    await this.session.end();
  }

  async #run(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      const start = performance.now();
      await this.session.query('INSERT INTO canary VALUES ($1)', [start]);
      await rest(EVERY_MS, this.#ended.signal);
      this.worst = Math.max(this.worst, performance.now() - start - EVERY_MS);
    }
  }
}
