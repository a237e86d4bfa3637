import type { AcceptedNames } from './kind-names.js';

/** Accepted names of the definitions of one group, with lookups in constant time. */
export class NamesInUse {
  readonly #resources = new Set<string>();
  readonly #kinds = new Set<string>();

  /** @param accepted of all definitions of the group */
  constructor(accepted: Iterable<AcceptedNames>) {
    for (const names of accepted) this.add(names);
  }

  /** Adds the names of a definition, in addition to those that it had. */
  add({ plural, singular, shortNames, kind, listKind }: AcceptedNames): void {
    this.#resources.add(plural).add(singular);
    for (const name of shortNames) this.#resources.add(name);
    this.#kinds.add(kind).add(listKind);
  }

  /** Returns whether a name is the plural, singular or a short name of a definition. */
  isResource(name: string): boolean {
    return this.#resources.has(name);
  }

  /** Returns whether a name is the kind or list kind of a definition. */
  isKind(name: string): boolean {
    return this.#kinds.has(name);
  }
}
