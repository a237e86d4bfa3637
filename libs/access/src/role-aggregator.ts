import {
  aggregatedRules,
  type LabelMatcher,
  type PolicyRule,
  type RbacPolicy,
  type RoleObject,
  type RoleSelector,
  sameRules,
} from '@orch/authorization';
import { type ApiDeps, merging } from '@orch/handlers';
import {
  type ApiObject,
  type JsonObject,
  type LabelSelectorObject,
  labelSelectorOf,
  StatusError,
} from '@orch/machinery';
import type { PolicyEndpoints } from '@orch/resources';
import type { Clock } from '@orch/runtime';
import { LEADERSHIP_MS, LeaderRounds, Leadership, Slices } from '@orch/runtime/work';
import type { ServingStore } from '@orch/storage';
import { ignoreMissing, serverItself } from '@orch/writing';
import type { PolicyFollowers } from './policy-followers.js';

interface RoleAggregatorOptions {
  readonly deps: ApiDeps;
  readonly store: Pick<ServingStore, 'lease'>;
  readonly endpoints: PolicyEndpoints;
  readonly policy: RbacPolicy;
  readonly followers: Pick<PolicyFollowers, 'confirm' | 'onClusterRoles' | 'lacksClusterRoles'>;
  readonly onError: (error: unknown) => void;
  readonly clock?: Clock;
}

const MANAGER = 'clusterrole-aggregation-controller';

/** Gives ClusterRoles that are made of others the rules of these, in one process at a time. */
export class RoleAggregator {
  readonly #leadership: Leadership;
  readonly #rounds: LeaderRounds;
  #unsubscribe: (() => void) | undefined;

  constructor(private readonly options: RoleAggregatorOptions) {
    const { store, onError, clock } = options;
    this.#leadership = new Leadership(store.lease('rbac-aggregation', LEADERSHIP_MS), clock);
    const round = (isNew: boolean) => this.#round(isNew);
    this.#rounds = new LeaderRounds({ leadership: this.#leadership, round, onError, ...(clock && { clock }) });
  }

  start(): void {
    this.#unsubscribe = this.options.followers.onClusterRoles(() => this.#rounds.ask());
    this.#rounds.ask();
  }

  /** Ends after what is under way, and lets another process go on. */
  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#rounds.stop();
  }

  async #round(isNew: boolean): Promise<undefined> {
    // What the one before has written is to be known.
    if (isNew) await this.options.followers.confirm();
    await this.#aggregate();
  }

  /** Roles that are made of what is written now follow in the next round. What is refused of one keeps nobody from the others. */
  async #aggregate(): Promise<void> {
    const { policy, followers, onError } = this.options;
    // What is written holds for servers that can read all of them, too.
    if (followers.lacksClusterRoles) return;
    const clusterRoles = [...policy.roles()].filter(({ namespace }) => namespace === '');
    clusterRoles.sort((a, b) => (a.name < b.name ? -1 : 1));
    const slices = new Slices();
    let wrote = false;
    for (const role of clusterRoles) {
      if (!role.aggregates || !this.#leadership.leads) continue;
      await slices.between();
      const rules = aggregatedRules(role, clusterRoles, matcherOf);
      if (sameRules(rules, role.rules)) continue;
      wrote = true;
      await this.#apply(role, rules).catch((error: unknown) => {
        if (!(error instanceof StatusError)) throw error;
        onError(error);
      });
    }
    if (wrote) await this.options.followers.confirm();
  }

  async #apply({ name }: RoleObject, rules: readonly PolicyRule[]): Promise<void> {
    const { deps, endpoints } = this.options;
    const endpoint = endpoints.clusterroles;
    const options = { dryRun: false, fieldValidation: 'Strict', fieldManager: MANAGER, force: true } as const;
    const { group, version, kind } = endpoint.definition;
    const said = { apiVersion: `${group}/${version}`, kind, metadata: { name }, rules } as unknown as JsonObject;
    const call = { endpoint, namespace: '', name, subresource: '' };
    const merge = merging(deps, call, said, options);
    const request = {
      operation: 'UPDATE',
      endpoint,
      key: { namespace: '', name },
      subresource: '',
      caller: serverItself(),
      options,
      applies: true,
    } as const;
    const change = (current: ApiObject) => merge(current);
    await deps.pipeline.write(request, { change }).then(() => undefined, ignoreMissing);
  }
}

/** What no selector can be made of fits nothing; the rules of the kind refuse it. */
function matcherOf(selector: RoleSelector): LabelMatcher {
  try {
    const made = labelSelectorOf(selector as LabelSelectorObject);
    return (labels) => made.matches(labels);
  } catch {
    return () => false;
  }
}
