import { parseStoredJson } from '@orch/codec';
import type { ApiObject } from '@orch/machinery';
import { type Endpoint, type Stored, withoutOwners } from '@orch/resources';
import type { Store } from '@orch/storage';
import type { ControllerClient } from '@orch/writing';

/** Remaining objects of one type in a namespace. */
export interface Remainder {
  /** Endpoint of the type. */
  readonly endpoint: Endpoint;
  /** Number of objects that finalizers or a grace period keep. */
  readonly objects: number;
  /** Number of objects by finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Error because of which the rest is unknown. */
  readonly failure?: unknown;
}

interface NamespaceContentsOptions {
  readonly store: Pick<Store, 'typesIn'>;
  /** Client that deletes the contents of namespaces. */
  readonly client: Pick<ControllerClient, 'deleteCollection'>;
  /** Returns one endpoint for each type of namespaced objects that is currently served. */
  readonly namespaced: () => readonly Endpoint[];
  /**
   * Resolves once this process serves all kinds that any server served before the call, as the namespace may hold
   * objects of these. Default: at once.
   */
  readonly catchUp?: () => Promise<void>;
  /**
   * Returns a number in [0, 1); default Math.random. Servers that empty one namespace at the same time begin with
   * different types.
   */
  readonly random?: () => number;
}

/** Deletes the contents of namespaces. */
export class NamespaceContents {
  constructor(private readonly options: NamespaceContentsOptions) {}

  /**
   * Deletes the contents of a namespace, type after type; a failure of one type does not affect the others. Types
   * without objects are skipped: there may be thousands.
   * @param stopped polled during the work; true ends it early
   * @returns the remaining objects; types without any are left out
   * @throws StoreUnavailableError if it cannot be determined which kinds there are, or which of them the namespace
   * holds
   */
  async empty(namespace: string, stopped: () => boolean): Promise<Remainder[]> {
    const { random = Math.random, catchUp, client } = this.options;
    await catchUp?.();
    const held = new Set(await this.options.store.typesIn(namespace));
    const namespaced = this.options.namespaced().filter(({ type }) => held.has(type));
    const first = Math.floor(random() * namespaced.length);
    const remainders: Remainder[] = [];
    for (const endpoint of [...namespaced.slice(first), ...namespaced.slice(0, first)]) {
      if (stopped()) break;
      const left = new Left();
      let failure: { failure: unknown } | undefined;
      try {
        await client.deleteCollection({ endpoint, namespace }, stopped, ({ stored }) => left.add(finalizersOf(stored)));
      } catch (error) {
        failure = { failure: error };
      }
      if (left.objects > 0 || failure) remainders.push({ endpoint, ...left, ...failure });
    }
    return remainders;
  }
}

class Left {
  objects = 0;
  readonly finalizers = new Map<string, number>();

  add(finalizers: readonly string[]): void {
    this.objects++;
    for (const name of finalizers) this.finalizers.set(name, (this.finalizers.get(name) ?? 0) + 1);
  }
}

/** Returns the finalizers of a stored object, which are the same in every version. */
const finalizersOf = ({ body }: Stored): readonly string[] =>
  (parseStoredJson(withoutOwners(body)) as ApiObject).metadata?.finalizers ?? [];
