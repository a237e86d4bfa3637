import type { SharedInformer } from '@orch/runtime/informers';

/** Metadata that assumed objects have. */
interface Versioned {
  readonly metadata?: { readonly resourceVersion?: string };
}

/** Whether a version of an object is newer than another one. */
export const isNewer = (a: Versioned, b: Versioned): boolean => versionOf(a) > versionOf(b);

const versionOf = ({ metadata }: Versioned): bigint => BigInt(metadata?.resourceVersion || 0);

/**
 * Objects of an informer, with changes that this scheduler is about to write in their place: pods that are scheduled
 * before these are written already see them. A newer version from the API ends what was assumed.
 */
export class AssumedObjects<T extends Versioned> {
  readonly #assumed = new Map<string, T>();

  constructor(
    private readonly informer: Pick<SharedInformer<T>, 'get'>,
    /** Type of the objects in messages: `v1.PersistentVolume`. */
    private readonly type: string,
  ) {}

  /** Number of objects that are assumed, and not yet seen from the API. */
  get size(): number {
    for (const key of this.#assumed.keys()) this.get(key);
    return this.#assumed.size;
  }

  /** Returns an object, as it is assumed to be; undefined where there is none. */
  get(key: string): T | undefined {
    const [seen, assumed] = [this.informer.get(key), this.#assumed.get(key)];
    if (!assumed) return seen;
    if (seen && !isNewer(seen, assumed)) return assumed;
    this.#assumed.delete(key);
    return seen;
  }

  /** Returns an object, as the API has shown it. @throws Error where there is none */
  seen(key: string): T {
    const seen = this.informer.get(key);
    if (!seen) throw new Error(`could not find ${this.type} "${key}"`);
    return seen;
  }

  /** Puts an object in place of an older one. @throws Error where there is none any more, or a newer one */
  assume(key: string, object: T): void {
    const current = this.get(key);
    if (!current) throw new Error(`could not find ${this.type} "${key}"`);
    if (isNewer(current, object)) {
      const versions = `stored: ${versionOf(current)}, assume: ${versionOf(object)}`;
      throw new Error(`${this.type} "${key}" is out of sync (${versions})`);
    }
    // Objects that nobody asks for any more are dropped here.
    for (const other of this.#assumed.keys()) this.get(other);
    this.#assumed.set(key, object);
  }

  /** Gives up what was assumed, unless something else has been assumed since. */
  restore(key: string, object: T): void {
    if (this.#assumed.get(key) === object) this.#assumed.delete(key);
  }
}
