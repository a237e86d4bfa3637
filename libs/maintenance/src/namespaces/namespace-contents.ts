import { parseStoredJson } from '@orch/codec';
import type { ApiObject } from '@orch/machinery';
import { type Endpoint, type Stored, withoutOwners } from '@orch/resources';
import type { Store } from '@orch/storage';
import type { ControllerClient } from '@orch/writing';

/** Remaining objects of one type in a namespace. */
export interface Remainder {
  readonly endpoint: Endpoint;
  /** Objects that finalizers or grace keep. */
  readonly objects: number;
  /** How many of them each finalizer keeps. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Why the rest is not known. */
  readonly failure?: unknown;
}

interface NamespaceContentsOptions {
  readonly store: Pick<Store, 'typesIn'>;
  /** Deletes what namespaces hold. */
  readonly client: Pick<ControllerClient, 'deleteCollection'>;
  /** One endpoint for each type of namespaced objects, as they are served now. */
  readonly namespaced: () => readonly Endpoint[];
  /**
   * Resolves when all kinds are served that any server served before the call: of which the namespace may hold objects. Default:
   * at once.
   */
  readonly catchUp?: () => Promise<void>;
  /** In [0, 1); default Math.random. Servers that empty one namespace at a time begin at different types. */
  readonly random?: () => number;
}

/** Deletes what namespaces hold. */
export class NamespaceContents {
  constructor(private readonly options: NamespaceContentsOptions) {}

  /**
   * Deletes all that a namespace holds, type after type; a type that fails does not keep the others. Types that hold nothing are not
   * looked into: there may be thousands.
   * @param stopped asked now and then; true ends it early
   * @returns what is left, types of which nothing is left out
   * @throws StoreUnavailableError where it is not known which kinds there are, or which of them it holds
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

/** The same in whichever version it lies. */
const finalizersOf = ({ body }: Stored): readonly string[] =>
  (parseStoredJson(withoutOwners(body)) as ApiObject).metadata?.finalizers ?? [];
