import type { TypeId } from '@orch/storage';
import type { Endpoint } from './served/endpoint.js';
import type { ServedResources } from './served/served-resources.js';

/** Names stored types in metrics: `deployments.apps`. Types that are not served have no name. */
export class ResourceNames {
  readonly #names = new Map<TypeId, string>();

  /**
   * Registers the names of all served resources, now and later. A resource that ends keeps its name until
   * {@link forget}.
   */
  follow(served: ServedResources): void {
    this.#learn(served.current.endpoints);
    served.onChange(({ begun }) => this.#learn(begun));
  }

  #learn(endpoints: readonly Endpoint[]): void {
    for (const {
      type,
      storage,
      definition: { stored },
    } of endpoints) {
      if (!stored) continue;
      this.#names.set(type, storage.group === '' ? storage.resource : `${storage.resource}.${storage.group}`);
    }
  }

  /** Removes the name of a type that is no longer served. */
  forget(type: TypeId): void {
    this.#names.delete(type);
  }

  /** Name of the resource of a type: `deployments.apps`; empty for an unknown type. */
  of(type: TypeId): string {
    return this.#names.get(type) ?? '';
  }
}
