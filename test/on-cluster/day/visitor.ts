import { setTimeout as pause } from 'node:timers/promises';

/** Milliseconds between visits, and for an answer. */
const [BETWEEN_MS, ANSWER_MS] = [50, 5_000];

/** Asks for a page again and again, each time on a connection of its own, and counts the answers. */
export class Visitor {
  /** Number of answers by their text. */
  readonly answers = new Map<string, number>();
  /** Errors, as texts. */
  readonly failures: string[] = [];
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;

  constructor(private readonly url: string) {
    this.#running = this.#run();
  }

  /** Visits no more; resolves when the last answer has come. */
  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    while (!signal.aborted) {
      await this.#visit();
      await pause(BETWEEN_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #visit(): Promise<void> {
    try {
      const options = { headers: { connection: 'close' }, signal: AbortSignal.timeout(ANSWER_MS) };
      const text = (await (await fetch(this.url, options)).text()).trim();
      this.answers.set(text, (this.answers.get(text) ?? 0) + 1);
    } catch (error) {
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      this.failures.push(`${new Date().toISOString()} ${String(cause)}`);
    }
  }
}
