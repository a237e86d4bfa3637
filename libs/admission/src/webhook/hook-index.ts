import type { ApiObject } from '@orch/machinery';
import type { Target } from '../attributes.js';
import type { FollowedObjects } from '../known-objects.js';
import type { MatchWorld } from '../matching/match.js';
import type { Hook, Hooks } from './hook.js';

/** Kinds of requests of which it is remembered who may be asked; more than a cluster has. */
const MOST_KINDS = 20_000;

/** Who may be asked about a request, found once for each kind of request. */
export class HookIndex {
  #hooks: readonly Hook[] | undefined;
  #served: unknown;
  readonly #byKind = new Map<string, readonly Hook[]>();

  /**
   * @param served tells snapshots of what is served apart: other versions may be the same objects
   */
  constructor(
    private readonly configurations: Pick<FollowedObjects, 'all' | 'onChange'>,
    private readonly made: Hooks,
    private readonly world: Pick<MatchWorld, 'own' | 'equivalents'> & { readonly served: unknown },
  ) {
    configurations.onChange(() => {
      this.#hooks = undefined;
    });
  }

  /** Every webhook, in the order in which they are asked. */
  get all(): readonly Hook[] {
    if (!this.#hooks) {
      this.#hooks = this.made.of(this.configurations.all() as Iterable<ApiObject>);
      this.#byKind.clear();
    }
    return this.#hooks;
  }

  /** Those of which a rule means the request. */
  meant(target: Target): readonly Hook[] {
    const { all } = this;
    if (all.length === 0) return all;
    this.#forget();
    const { operation, group, version, resource, subresource, namespace } = target;
    const key = `${operation} ${group}/${version}/${resource}/${subresource} ${namespace !== ''}`;
    const known = this.#byKind.get(key);
    if (known) return known;
    const found = all.filter(({ matcher }) => matcher.byRules(target, this.world) !== undefined);
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
