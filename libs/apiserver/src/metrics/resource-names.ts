import type { TypeId } from '@orch/storage';
import type { Endpoint } from '../endpoint.js';

/** What types of the store are called in metrics: `deployments.apps`. Types that are not served have no name. */
export class ResourceNames {
  readonly #names = new Map<TypeId, string>();

  learn(endpoints: readonly Endpoint[]): void {
    for (const { type, storage } of endpoints) {
      this.#names.set(type, storage.group === '' ? storage.resource : `${storage.resource}.${storage.group}`);
    }
  }

  of(type: TypeId): string {
    return this.#names.get(type) ?? '';
  }
}
