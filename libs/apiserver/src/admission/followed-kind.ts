import type { FollowedObjects } from '@orch/admission';
import type { OrderedFeed } from '@orch/feed';
import { type ApiObject, timeout } from '@orch/machinery';
import type { ServingStore, Version } from '@orch/storage';
import { type ChangedNames, ObjectFollower } from '../following/object-follower.js';
import { fromStored } from '../representation/stored-body.js';
import type { Endpoint } from '../served/endpoint.js';

/** Where objects come from. */
export interface FollowedSource {
  readonly endpoint: Endpoint;
  readonly store: Pick<ServingStore, 'snapshot'>;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly onError: (error: unknown) => void;
}

const NONE: ReadonlyMap<string, ApiObject> = new Map();
/** Seconds after which a request that ran out of time may be tried again. */
const RETRY_SECONDS = 1;

/** All objects of a built-in kind in the version that is stored, by namespace; none before {@link start}. */
export class FollowedKind implements FollowedObjects {
  readonly #byNamespace = new Map<string, Map<string, ApiObject>>();
  readonly #listeners: (() => void)[] = [];
  #follower: ObjectFollower<ApiObject> | undefined;
  #acknowledged: Version = 0n;

  /** Resolves when all are known. */
  async start({ endpoint, store, feed, onError }: FollowedSource): Promise<void> {
    const follower = new ObjectFollower<ApiObject>({
      ...{ source: store, feed, type: endpoint.type, onError },
      read: (row) => fromStored(row, endpoint),
    });
    follower.onChange((changed) => this.#changed(changed, follower.objects));
    this.#follower = follower;
    await follower.start();
  }

  stop(): void {
    this.#follower?.stop();
  }

  get(namespace: string, name: string): ApiObject | undefined {
    return this.#byNamespace.get(namespace)?.get(name);
  }

  in(namespace: string): Iterable<ApiObject> {
    return (this.#byNamespace.get(namespace) ?? NONE).values();
  }

  *all(): Iterable<ApiObject> {
    for (const objects of this.#byNamespace.values()) yield* objects.values();
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** A write of this process has been committed with this version. */
  acknowledged(version: Version): void {
    if (version > this.#acknowledged) this.#acknowledged = version;
  }

  /** What was acknowledged may have been lost. */
  rewound(): void {
    this.#acknowledged = 0n;
  }

  /**
   * Resolves when what this process has acknowledged before the call is known; undefined where it is.
   * @param deadline monotonic milliseconds
   * @throws StatusError 504
   */
  caughtUp(deadline: number): Promise<void> | undefined {
    const follower = this.#follower;
    if (!follower || this.#knows(this.#acknowledged)) return undefined;
    const wanted = this.#acknowledged;
    return new Promise((resolve, reject) => {
      const ended = (end: () => void) => {
        clearTimeout(timer);
        unsubscribe();
        end();
      };
      const unsubscribe = follower.onChange(() => {
        if (this.#knows(wanted)) ended(resolve);
      });
      const late = () => ended(() => reject(timeout('the request timed out', RETRY_SECONDS)));
      const timer = setTimeout(late, Math.min(Math.max(deadline - performance.now(), 0), LONGEST_MS));
    });
  }

  #knows(version: Version): boolean {
    // After a rewind what was waited for may never come.
    return (this.#follower?.version ?? 0n) >= version || this.#acknowledged < version;
  }

  #changed(changed: ChangedNames, objects: ReadonlyMap<string, ApiObject>): void {
    for (const key of changed) {
      const at = key.indexOf('/');
      const [namespace, name] = [key.slice(0, Math.max(at, 0)), key.slice(at + 1)];
      const object = objects.get(key);
      if (object) this.#put(namespace, name, object);
      else this.#remove(namespace, name);
    }
    for (const listener of this.#listeners) listener();
  }

  #put(namespace: string, name: string, object: ApiObject): void {
    const within = this.#byNamespace.get(namespace) ?? new Map<string, ApiObject>();
    within.set(name, object);
    this.#byNamespace.set(namespace, within);
  }

  #remove(namespace: string, name: string): void {
    const within = this.#byNamespace.get(namespace);
    within?.delete(name);
    if (within?.size === 0) this.#byNamespace.delete(namespace);
  }
}

/** Longest time that timers take, ms. */
const LONGEST_MS = 2 ** 31 - 1;
