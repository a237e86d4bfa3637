import type { OrderedFeed } from '@orch/feed';
import { type InformerStore, StoreInformer } from '@orch/informers';
import type { ApiObject } from '@orch/machinery';
import { amountOf, isUncounted, type QuotaObject, type QuotaTerms, termsOf } from '@orch/quota';
import { type Endpoint, fromStored } from '@orch/resources';
import type { Version } from '@orch/storage';

/** A ResourceQuota in memory. */
export interface KnownQuota {
  /** Namespace that the quota limits. */
  readonly namespace: string;
  /** Limits, scopes and what is used so far. */
  readonly terms: QuotaTerms;
  /** Names of the resources whose quantities are written with binary suffixes. */
  readonly binary: ReadonlySet<string>;
  /** Whether its status has to be counted, see {@link isUncounted}. */
  readonly uncounted: boolean;
}

/** Source of the quotas. */
interface QuotaSource {
  readonly store: InformerStore;
  readonly feed: Pick<OrderedFeed, 'follow'>;
  readonly onError: (error: unknown) => void;
}

const NONE: readonly KnownQuota[] = [];

/** Informer over all quotas, by namespace; empty before {@link start}. */
export class QuotaIndex {
  #byNamespace = new Map<string, readonly KnownQuota[]>();
  #follower: StoreInformer<KnownQuota> | undefined;
  readonly #listeners = new Set<() => void>();

  /** @param endpoint of resourcequotas */
  constructor(readonly endpoint: Endpoint) {}

  /** Loads all quotas and begins to follow them. Nothing may be written before it resolves. */
  async start({ store, feed, onError }: QuotaSource): Promise<void> {
    const { endpoint } = this;
    const follower = new StoreInformer<KnownQuota>({
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
    void this.#follower?.stop();
  }

  /** Version up to which all writes are known; undefined before {@link start}. */
  get version(): Version | undefined {
    return this.#follower?.version;
  }

  /** Quotas of a namespace, sorted by name. */
  in(namespace: string): readonly KnownQuota[] {
    return this.#byNamespace.get(namespace) ?? NONE;
  }

  /** All quotas. */
  *all(): Iterable<KnownQuota> {
    for (const quotas of this.#byNamespace.values()) yield* quotas;
  }

  /** Waits until everything that was written before the call is known. @throws StoreUnavailableError */
  async confirm(): Promise<void> {
    await this.#follower?.confirm();
  }

  /** Calls the listener after every change. @returns removes the listener */
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
