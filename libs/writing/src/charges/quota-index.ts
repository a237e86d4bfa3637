import type { OrderedFeed } from '@orch/feed';
import { ObjectFollower, type ObjectSource } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import { amountOf, isUncounted, type QuotaObject, type QuotaTerms, termsOf } from '@orch/quota';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Version } from '@orch/storage';

/** A ResourceQuota as its namespace is charged by it. */
export interface KnownQuota {
  /** Namespace that the quota limits. */
  readonly namespace: string;
  /** Limits, scopes and what is used so far. */
  readonly terms: QuotaTerms;
  /** What is told in units of 1024. */
  readonly binary: ReadonlySet<string>;
  /** Its status is to be counted, see {@link isUncounted}. */
  readonly uncounted: boolean;
}

/** Where quotas come from. */
export interface QuotaSource {
  readonly store: ObjectSource;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly onError: (error: unknown) => void;
}

const NONE: readonly KnownQuota[] = [];

/** All quotas by namespace, as of a version that is known; none before {@link start}. */
export class QuotaIndex {
  #byNamespace = new Map<string, readonly KnownQuota[]>();
  #follower: ObjectFollower<KnownQuota> | undefined;
  readonly #listeners = new Set<() => void>();

  /** @param endpoint of resourcequotas */
  constructor(readonly endpoint: Endpoint) {}

  /** Resolves when all are known: nothing may be written before. */
  async start({ store, feed, onError }: QuotaSource): Promise<void> {
    const { endpoint } = this;
    const follower = new ObjectFollower<KnownQuota>({
      ...{ source: store, feed, type: endpoint.type, onError },
      read: (row) => knownQuota(row.namespace, fromStored(row, endpoint)),
    });
    follower.onChange((changed) => {
      for (const name of changed) this.#note(name, follower.objects.get(name));
      for (const listener of this.#listeners) listener();
    });
    this.#follower = follower;
    await follower.start();
  }

  /** Stops following; the quotas stay as they are. */
  stop(): void {
    this.#follower?.stop();
  }

  /** Everything that was written up to here is known; undefined before {@link start}. */
  get version(): Version | undefined {
    return this.#follower?.version;
  }

  /** Of a namespace, by name. */
  in(namespace: string): readonly KnownQuota[] {
    return this.#byNamespace.get(namespace) ?? NONE;
  }

  /** Every one of them. */
  *all(): Iterable<KnownQuota> {
    for (const quotas of this.#byNamespace.values()) yield* quotas;
  }

  /** Resolves when everything is known that was written before the call. @throws StoreUnavailableError */
  async confirm(): Promise<void> {
    await this.#follower?.confirm();
  }

  /** Hears of every change, until it is taken back. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @param followed namespace and name */
  #note(followed: string, quota: KnownQuota | undefined): void {
    const at = followed.indexOf('/');
    const [namespace, name] = [followed.slice(0, at), followed.slice(at + 1)];
    const others = this.in(namespace).filter(({ terms }) => terms.name !== name);
    const now = quota ? [...others, quota].sort((a, b) => (a.terms.name < b.terms.name ? -1 : 1)) : others;
    if (now.length === 0) this.#byNamespace.delete(namespace);
    else this.#byNamespace.set(namespace, now);
  }
}

function knownQuota(namespace: string, quota: ApiObject): KnownQuota {
  const { hard = {} } = (quota as QuotaObject).status ?? {};
  const binary = Object.keys(hard).filter((name) => amountOf(hard[name])?.format === 'binarySI');
  return { namespace, terms: termsOf(quota), binary: new Set(binary), uncounted: isUncounted(quota) };
}
