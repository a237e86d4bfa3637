import type { OrderedFeed } from '@orch/feed';
import { ChangeFollower } from '@orch/informers';
import type { ObjectReader } from '@orch/reading';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Clock } from '@orch/runtime';
import { WorkOnDemand } from '@orch/runtime/work';
import type { Endpoints, Service } from '@orch/schema/types/core/v1';
import type { ReadingStore } from '@orch/storage';
import type { Backing } from './availability.js';
import type { ServicePlace } from './registration.js';

/** Namespace and name of a Service. */
export type ServiceName = Pick<ServicePlace, 'namespace' | 'name'>;

interface BackingsOptions {
  readonly services: Endpoint;
  readonly endpoints: Endpoint;
  readonly store: Pick<ReadingStore, 'heads' | 'onStalledHistory'>;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly reader: Pick<ObjectReader, 'current'>;
  /** Called when a wanted Service or its endpoints have changed. */
  readonly onChange: () => void;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

const keyOf = ({ namespace, name }: ServiceName): string => `${namespace}/${name}`;

/**
 * Caches the Services that are wanted, and no others: of all others' changes only the names are looked at. A Service
 * that has changed is read anew.
 */
export class Backings {
  readonly #work: WorkOnDemand;
  readonly #known = new Map<string, Backing>();
  readonly #followers: readonly ChangeFollower[];
  #wanted = new Map<string, ServiceName>();
  #stale = new Set<string>();

  constructor(private readonly options: BackingsOptions) {
    const { services, endpoints, onError, clock } = options;
    this.#work = new WorkOnDemand(() => this.#round(), { onError, ...(clock && { clock }) });
    this.#followers = [services, endpoints].map((endpoint) => this.#followerOf(endpoint));
  }

  /** Returns the cached state of a Service; undefined before it was read. */
  of(service: ServiceName): Backing | undefined {
    return this.#known.get(keyOf(service));
  }

  /** Has these be known from now on, and no others. */
  want(services: Iterable<ServiceName>): void {
    this.#wanted = new Map([...services].map((service) => [keyOf(service), service]));
    for (const key of this.#known.keys()) if (!this.#wanted.has(key)) this.#known.delete(key);
    for (const key of this.#wanted.keys()) if (!this.#known.has(key)) this.#stale.add(key);
    if (this.#stale.size > 0) this.#work.ask();
  }

  /** Stops following; resolves when the round in progress has ended. */
  async stop(): Promise<void> {
    for (const follower of this.#followers) follower.stop();
    await this.#work.stop();
  }

  async #round(): Promise<void> {
    const { onChange } = this.options;
    // Followed before the reads, so that no change is missed.
    for (const follower of this.#followers) await follower.follow();
    const stale = [...this.#stale];
    for (const key of stale) {
      const service = this.#wanted.get(key);
      // A change while it is read makes it stale again.
      this.#stale.delete(key);
      if (!service) continue;
      try {
        const backing = await this.#read(service);
        // Changes of a Service that is not wanted any more are not followed: its state would become outdated.
        if (this.#wanted.has(key)) this.#known.set(key, backing);
      } catch (error) {
        this.#stale.add(key);
        throw error;
      }
    }
    if (stale.length > 0) onChange();
  }

  #followerOf({ type }: Endpoint): ChangeFollower {
    const { store, feed, clock } = this.options;
    return new ChangeFollower({
      ...{ type, store, feed, ...(clock && { clock }) },
      changed: (changes) => this.#changed(changes.map(keyOf)),
      reset: () => this.#changed(this.#wanted.keys()),
    });
  }

  #changed(keys: Iterable<string>): void {
    for (const key of keys) if (this.#wanted.has(key)) this.#stale.add(key);
    if (this.#stale.size > 0) this.#work.ask();
  }

  async #read(service: ServiceName): Promise<Backing> {
    const [found, endpoints] = await Promise.all([
      this.#readOne<Service>(this.options.services, service),
      this.#readOne<Endpoints>(this.options.endpoints, service),
    ]);
    return { service: found, endpoints };
  }

  async #readOne<T>(endpoint: Endpoint, { namespace, name }: ServiceName): Promise<T | undefined> {
    const stored = await this.options.reader.current(endpoint.type, { namespace, name });
    return stored && (fromStored(stored, endpoint) as T);
  }
}
