import { PacedWriters } from '../scale-out/paced-writers.js';
import { expectCaughtUp, openReflectors, populate } from '../scale-out/population.js';
import { type Reflector, type ReflectorCounts, total } from '../scale-out/reflector.js';
import type { Api } from '../support/api.js';

export interface LoadSettings {
  /** Writes a second. */
  readonly writes: number;
  readonly watches: number;
}

/** Counts of writes and watches so far. */
export interface LoadCounts extends ReflectorCounts {
  readonly writes: number;
  /** Not answered with 200, and done all the same or not. */
  readonly failedWrites: number;
}

const NAMESPACES = 10;
const OBJECTS = 10;
const WRITERS = 10;

/** Writes of one client and watches of another, for as long as something is done to what serves them. */
export class Load {
  readonly #writers: PacedWriters;

  private constructor(
    private readonly api: Api,
    private readonly collections: readonly string[],
    paths: readonly string[],
    private readonly reflectors: readonly Reflector[],
    rate: number,
  ) {
    this.#writers = new PacedWriters(api, paths, { rate, writers: WRITERS });
  }

  static async start(writing: Api, watching: Api, { writes, watches }: LoadSettings): Promise<Load> {
    const { collections, paths } = await populate(writing, NAMESPACES, OBJECTS);
    const reflectors = await openReflectors(watching, collections, watches);
    return new Load(writing, collections, paths, reflectors, writes);
  }

  get counts(): LoadCounts {
    const { done, refused, lost } = this.#writers.counts;
    return { ...total(this.reflectors), writes: done, failedWrites: refused + lost };
  }

  /** Returns problems since the last call: the first failed writes, and violations by watches. */
  complaints(): readonly string[] {
    const { failures } = this.#writers;
    return [...failures.splice(0), ...this.reflectors.flatMap(({ violations }) => violations.splice(0))];
  }

  /** Ends the writes, waits until every watch has seen all of them, and ends the watches. */
  async stop(): Promise<void> {
    await this.#writers.stop();
    await expectCaughtUp(this.api, this.collections, this.reflectors);
    await Promise.all(this.reflectors.map((reflector) => reflector.stop()));
  }
}
