import type { ControllerSource } from '@orch/controllers';
import type { Version } from '@orch/storage';
import type { Definition } from './definition.js';

/**
 * Definitions with which all servers have come far enough for a controller to work on them; wakes that controller. A
 * definition stays ready until it changes: a server that joins later knows it before it counts.
 */
export class ReadyDefinitions {
  /** Versions since which they are served as they are, by uid, with their names. */
  readonly #ready = new Map<string, { readonly name: string; readonly since: Version }>();
  readonly #listeners = new Set<(name: string) => void>();

  /** Source of the controller, by names of definitions. */
  readonly source: ControllerSource = {
    subscribe: (enqueue) => {
      this.#listeners.add(enqueue);
      return () => this.#listeners.delete(enqueue);
    },
    keys: () => [...this.#ready.values()].map(({ name }) => name),
  };

  /** Whether a definition is ready as it is. */
  has({ uid, since }: Pick<Definition, 'uid' | 'since'>): boolean {
    return this.#ready.get(uid)?.since === since;
  }

  /** Forgets all but those that the controller is to work on. */
  retain(pending: readonly Definition[]): void {
    const uids = new Set(pending.map(({ uid }) => uid));
    for (const uid of this.#ready.keys()) if (!uids.has(uid)) this.#ready.delete(uid);
  }

  /**
   * Adds those that have become ready.
   * @param pending those that the controller is to work on
   * @param isReady whether one of them is ready
   * @returns whether some are not
   */
  update(pending: readonly Definition[], isReady: (definition: Definition) => boolean): boolean {
    let areSomeHeld = false;
    for (const definition of pending) {
      const { uid, name, since } = definition;
      if (this.has(definition)) continue;
      if (!isReady(definition)) areSomeHeld = true;
      else {
        this.#ready.set(uid, { name, since });
        for (const listener of this.#listeners) listener(name);
      }
    }
    return areSomeHeld;
  }
}
