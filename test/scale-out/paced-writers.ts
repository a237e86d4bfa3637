import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Api } from '../support/api.js';

export interface WriteCounts {
  /** Answered with 200. */
  done: number;
  /** Not answered, or refused, and not done either: nothing to regret, and done at the next try. */
  refused: number;
  /** Not answered, or refused, but done. */
  lost: number;
}

const AGAIN_MS = 50;
const MAX_TRIES = 100;

/** Patches objects at a given rate, each writer one object at a time, until stopped; looks what became of a write that failed. */
export class PacedWriters {
  readonly counts: WriteCounts = { done: 0, refused: 0, lost: 0 };
  /** The first few failures, for messages. */
  readonly failures: string[] = [];
  readonly #api: Api;
  readonly #paths: readonly string[];
  readonly #work: Promise<unknown>;
  #stopped = false;
  #turn = 0;

  /** @param rate writes a second of all writers together */
  constructor(api: Api, paths: readonly string[], { rate, writers }: { rate: number; writers: number }) {
    this.#api = api;
    this.#paths = paths;
    const every = (1000 * writers) / rate;
    this.#work = Promise.all(Array.from({ length: writers }, (_, writer) => this.#write(writer, writers, every)));
    this.#work.catch(() => undefined); // told by `stop`
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#work;
  }

  async #write(writer: number, writers: number, every: number): Promise<void> {
    // Objects of its own, so that what lies there is what it wrote last.
    const paths = this.#paths.filter((_, index) => index % writers === writer);
    let due = performance.now() + (every * writer) / writers;
    for (let step = 0; !this.#stopped; step++) {
      await pause(Math.max(0, due - performance.now()));
      due = Math.max(due + every, performance.now() - 1000); // a burst of a second at most after a pause
      await this.#once(paths[step % paths.length] as string, `${writer}-${this.#turn++}`);
    }
  }

  async #once(path: string, value: string): Promise<void> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const failure = await this.#patch(path, value);
      if (failure === undefined) return void this.counts.done++;
      if (this.failures.length < 5) this.failures.push(`${path}: ${failure}`);
      if ((await this.#held(path)) === value) return void this.counts.lost++;
      this.counts.refused++;
      await pause(AGAIN_MS);
    }
    throw new Error(`${path}: no write for ${MAX_TRIES} tries`);
  }

  /** Undefined when it was acknowledged, else what happened. */
  async #patch(path: string, value: string): Promise<string | undefined> {
    try {
      const answer = await this.#api.patch(path, 'merge', { data: { value } });
      return answer.status === 200 ? undefined : `${answer.status} ${answer.text.slice(0, 200)}`;
    } catch (error) {
      return String(error);
    }
  }

  async #held(path: string): Promise<string | undefined> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
      const answer: Answer | undefined = await this.#api.get(path).catch(() => undefined);
      if (answer?.status === 200) return answer.json().data?.value;
      await pause(AGAIN_MS);
    }
    throw new Error(`${path}: no read for ${MAX_TRIES} tries`);
  }
}
