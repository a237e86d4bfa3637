import type { Target } from '../attributes.js';
import type { Matcher, RulesWorld } from './match.js';

/** Kinds of requests of which it is remembered who may be asked; more than a cluster has. */
const MOST_KINDS = 20_000;

/** Somebody who is asked about requests. */
interface Asked {
  readonly matcher: Pick<Matcher, 'mayMean'>;
}

/** Who may be asked about a request, found once for each kind of request. */
export class RequestIndex<T extends Asked> {
  #all: readonly T[] | undefined;
  #served: unknown;
  readonly #byKind = new Map<string, readonly T[]>();

  /**
   * @param make all who may be asked, in the order in which they are
   * @param world `served` tells snapshots of what is served apart: other versions may be the same objects
   */
  constructor(
    private readonly make: () => readonly T[],
    private readonly world: RulesWorld & { readonly served: unknown },
  ) {}

  /** Has all of them made anew when they are next asked for. */
  changed(): void {
    this.#all = undefined;
  }

  /** All, in the order in which they are asked. */
  get all(): readonly T[] {
    if (!this.#all) {
      this.#all = this.make();
      this.#byKind.clear();
    }
    return this.#all;
  }

  /** Those of which a rule may mean the request. */
  meant(target: Target): readonly T[] {
    const { all } = this;
    if (all.length === 0) return all;
    this.#forget();
    const { operation, group, version, resource, subresource, namespace } = target;
    const key = `${operation} ${group}/${version}/${resource}/${subresource} ${namespace !== ''}`;
    const known = this.#byKind.get(key);
    if (known) return known;
    const found = all.filter(({ matcher }) => matcher.mayMean(target, this.world));
    if (this.#byKind.size < MOST_KINDS) this.#byKind.set(key, found);
    return found;
  }

  #forget(): void {
    const { served } = this.world;
    if (served === this.#served) return;
    this.#served = served;
    this.#byKind.clear();
  }
}
