/** A write of one key. Its body is opaque to the floor. */
export interface FloorWrite {
  readonly action: FloorAction;
  readonly key: string;
  readonly body: Buffer;
}

/** Numbers of the actions in the database. */
export type FloorAction = 1 | 3 | 5;

interface Waiting {
  readonly write: FloorWrite;
  resolve(version: string): void;
  reject(error: unknown): void;
}

/** Gathers the writes that arrive while a batch is in progress into the next one: group commit, one batch at a time. */
export class Batches {
  #waiting: Waiting[] = [];
  #scheduled = false;

  /** @param commit returns the versions of the writes, in their order */
  constructor(private readonly commit: (writes: readonly FloorWrite[]) => Promise<readonly string[]>) {}

  /** Resolves with the version of a write once it is durable. */
  add(write: FloorWrite): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ write, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      // Calls of the same turn share a batch.
      queueMicrotask(() => void this.#carryOut());
    });
  }

  async #carryOut(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0);
      try {
        const versions = await this.commit(batch.map(({ write }) => write));
        for (const [at, { resolve }] of batch.entries()) resolve(versions[at] ?? '');
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#scheduled = false;
  }
}
