import type { TypeName } from '@orch/storage';

/** Wildcard for any resource, or any group. */
export const ANY = '*';

/** Parses `deployments.apps`; without a group it is the core group. */
export function parseResource(text: string): TypeName {
  const dot = text.indexOf('.');
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

const keyOf = ({ group, resource }: TypeName): string => `${resource}.${group}`;

/** Group of internal types that the server stores and does not serve. */
const INTERNAL = 'internal';
/** Types that wildcards exclude: see `configurationErrors`. */
const LEFT_OUT: readonly TypeName[] = [{ group: '', resource: 'resourcequotas' }];

/** Rules of resources, the most specific first: of a resource, of its group, of all. */
export class ResourceRules<T> {
  readonly #rules = new Map<string, T[]>();

  /**
   * Adds a rule for a resource.
   * @param text `secrets`, `deployments.apps`, `*.apps`, `*.`, `*.*`
   * @throws Error when an earlier rule covers it already
   */
  add(text: string, providers: readonly T[]): void {
    const name = parseResource(text);
    for (const group of new Set([name.group, ANY])) {
      const wider = { group, resource: ANY };
      if (this.#rules.has(keyOf(wider)))
        throw new Error(`resource ${shown(name)} is masked by earlier rule ${shown(wider)}`);
    }
    this.#rules.set(keyOf(name), [...(this.#rules.get(keyOf(name)) ?? []), ...providers]);
  }

  /** Returns the rule of a type; undefined if there is none. */
  of(type: TypeName): readonly T[] | undefined {
    const { group, resource } = type;
    const own = this.#rules.get(keyOf(type));
    if (own || group === INTERNAL || LEFT_OUT.some((each) => each.group === group && each.resource === resource))
      return own;
    return this.#rules.get(keyOf({ group, resource: ANY })) ?? this.#rules.get(keyOf({ group: ANY, resource: ANY }));
  }

  /** Types that a wildcard would match, if they were not excluded. */
  get leftOut(): readonly TypeName[] {
    return LEFT_OUT.filter(({ group }) =>
      [group, ANY].some((each) => this.#rules.has(keyOf({ group: each, resource: ANY }))),
    );
  }
}

/** Formats a name as in a file. */
const shown = ({ group, resource }: TypeName): string =>
  JSON.stringify(group === '' && resource !== ANY ? resource : `${resource}.${group}`);
