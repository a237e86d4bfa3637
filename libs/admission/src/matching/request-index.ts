import type { Target } from '../attributes.js';
import type { Matcher, RulesWorld } from './match.js';

/** Most kinds of requests for which the result is cached; more than a cluster has. */
const MOST_KINDS = 20_000;

/** A webhook or policy that is consulted about requests. */
interface Asked {
  readonly matcher: Pick<Matcher, 'mayMean'>;
}

/** Finds the webhooks or policies that may match a request, once for each kind of request. */
export class RequestIndex<T extends Asked> {
  #all: readonly T[] | undefined;
  #served: unknown;
  readonly #byKind = new Map<string, readonly T[]>();

  /**
   * @param make returns all webhooks or policies, in the order in which they are consulted
   * @param world `served` identifies a snapshot of the served resources: other versions may be the same objects
   */
  constructor(
    private readonly make: () => readonly T[],
    private readonly world: RulesWorld & { readonly served: unknown },
  ) {}

  /** Makes all of them again when they are next needed. */
  changed(): void {
    this.#all = undefined;
  }

  /** All of them, in the order in which they are consulted. */
  get all(): readonly T[] {
    if (!this.#all) {
      this.#all = this.make();
      this.#byKind.clear();
    }
    return this.#all;
  }

  /** Returns those with a rule that may match the request. */
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
