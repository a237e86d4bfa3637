import type { AcceptedNames } from './kind-names.js';

/** The names that the definitions of one group were given; looked up however many these are. */
export class NamesInUse {
  readonly #resources = new Set<string>();
  readonly #kinds = new Set<string>();

  /** @param accepted of all definitions of the group */
  constructor(accepted: Iterable<AcceptedNames>) {
    for (const names of accepted) this.add(names);
  }

  /** What a definition was given is in use from now on, beside what it had. */
  add({ plural, singular, shortNames, kind, listKind }: AcceptedNames): void {
    this.#resources.add(plural).add(singular);
    for (const name of shortNames) this.#resources.add(name);
    this.#kinds.add(kind).add(listKind);
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
