import type { TypeId } from '@orch/storage';
import type { ServedResources } from '../served/served-resources.js';
import type { ServedSnapshot } from '../served/served-snapshot.js';

/** What types of the store are called in metrics: `deployments.apps`. Types that are not served have no name. */
export class ResourceNames {
  readonly #names = new Map<TypeId, string>();

  /** Learns the names of all that is served, now and later. What is served no more keeps its name. */
  follow(served: ServedResources): void {
    this.#learn(served.current);
    served.onChange(({ after }) => this.#learn(after));
  }

  #learn({ types }: ServedSnapshot): void {
    for (const { type, storage } of types) {
      this.#names.set(type, storage.group === '' ? storage.resource : `${storage.resource}.${storage.group}`);
    }
  }

  of(type: TypeId): string {
    return this.#names.get(type) ?? '';
  }
}
