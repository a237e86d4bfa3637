import type { JsonObject } from '@orch/machinery';
import { acceptedNames } from './accepted-names.js';

/** The names that the definitions of one group were given; looked up however many these are. */
export class NamesInUse {
  readonly #resources = new Set<string>();
  readonly #kinds = new Set<string>();

  /** @param definitions all of the group */
  constructor(definitions: Iterable<JsonObject>) {
    for (const definition of definitions) this.add(definition);
  }

  /** What a definition was given is in use from now on, beside what it had. */
  add(definition: JsonObject): void {
    const { plural, singular, shortNames, kind, listKind } = acceptedNames(definition);
    for (const name of [plural, singular, ...shortNames]) this.#resources.add(name);
    for (const name of [kind, listKind]) this.#kinds.add(name);
  }

  /** Whether it is the plural, the singular or a short name of one. */
  isResource(name: string): boolean {
    return this.#resources.has(name);
  }

  /** Whether objects or lists of one are called so. */
  isKind(name: string): boolean {
    return this.#kinds.has(name);
  }
}
