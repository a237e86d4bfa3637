import type { IncomingMessage } from 'node:http';
import { expect } from 'vitest';
import { PacedWriters } from '../../scale-out/paced-writers.js';
import { expectCaughtUp, openReflectors, populate } from '../../scale-out/population.js';
import { type Reflector, total } from '../../scale-out/reflector.js';
import { Api, type ApiSettings, type RequestSettings } from '../../support/api.js';

/** A client that goes on with other credentials; what it has opened before stays open. */
export class RenewedApi extends Api {
  readonly #all: Api[];

  constructor(settings: ApiSettings) {
    super(settings);
    this.#all = [new Api(settings)];
  }

  renew(settings: Partial<ApiSettings>): void {
    this.#all.push(new Api({ ...this.#current.settings, ...settings }));
  }

  override open(method: string, path: string, settings: RequestSettings): Promise<IncomingMessage> {
    return this.#current.open(method, path, settings);
  }

  override close(): void {
    for (const api of this.#all) api.close();
    super.close();
  }

  get #current(): Api {
    return this.#all.at(-1) as Api;
  }
}

/** Writes of one client and watches of another through the load balancer, for as long as credentials change. */
export class Traffic {
  readonly #writers: PacedWriters;

  private constructor(
    private readonly api: Api,
    private readonly collections: readonly string[],
    paths: readonly string[],
    private readonly reflectors: readonly Reflector[],
  ) {
    this.#writers = new PacedWriters(api, paths, { rate: 20, writers: 4 });
  }

  static async start(writing: Api, watching: Api): Promise<Traffic> {
    const { collections, paths } = await populate(writing, 2, 10);
    const reflectors = await openReflectors(watching, collections, 20);
    return new Traffic(writing, collections, paths, reflectors);
  }

  /** No request has failed until now, and no watch has had to list again. */
  expectWell(): void {
    const { counts, failures } = this.#writers;
    expect(failures, JSON.stringify(counts)).toEqual([]);
    expect(total(this.reflectors)).toMatchObject({ lists: 0, gone: 0 });
  }

  async stop(): Promise<void> {
    await this.#writers.stop();
    this.expectWell();
    await expectCaughtUp(this.api, this.collections, this.reflectors);
    const { done } = this.#writers.counts;
    expect(done).toBeGreaterThan(0);
    console.log(`${done} writes;`, total(this.reflectors));
    await Promise.all(this.reflectors.map((reflector) => reflector.stop()));
  }
}
