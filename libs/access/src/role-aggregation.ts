import {
  aggregatedRules,
  type LabelMatcher,
  type PolicyRule,
  type RbacPolicy,
  type RoleObject,
  type RoleSelector,
  sameRules,
} from '@orch/authorization';
import { type Controller, RequeueError } from '@orch/controllers';
import { type ApiDeps, merging } from '@orch/handlers';
import { type JsonObject, type LabelSelectorObject, labelSelectorOf } from '@orch/machinery';
import type { PolicyEndpoints } from '@orch/resources';
import { type ControllerClient, ignoreMissing } from '@orch/writing';
import type { PolicyInformers } from './policy-informers.js';

/** Dependencies of the aggregation of roles. */
interface RoleAggregationOptions {
  readonly deps: ApiDeps;
  readonly endpoints: PolicyEndpoints;
  readonly policy: RbacPolicy;
  readonly informers: Pick<PolicyInformers, 'confirm' | 'onClusterRoles' | 'lacksClusterRoles'>;
  readonly client: Pick<ControllerClient, 'update'>;
}

const MANAGER = 'clusterrole-aggregation-controller';
const RETRY = { firstMs: 5, longestMs: 60_000 };

/** Gives ClusterRoles with an aggregation rule the rules of the roles that it selects. */
export function roleAggregation(options: RoleAggregationOptions): Controller {
  const { policy, informers } = options;
  // Sorted once for each change, not for each role that is made of others.
  let known: readonly RoleObject[] | undefined;
  const byName = () => (known ??= clusterRoles(policy));
  const keys = () => byName().flatMap(({ aggregates, name }) => (aggregates ? [name] : []));
  return {
    name: 'clusterrole-aggregation',
    sources: [
      {
        // Any role may be one that others are made of.
        subscribe: (enqueue) =>
          informers.onClusterRoles(() => {
            known = undefined;
            keys().forEach(enqueue);
          }),
        keys,
        confirm: () => informers.confirm(),
      },
    ],
    retry: RETRY,
    async reconcile(name) {
      const role = policy.role('', name);
      if (!role?.aggregates) return undefined;
      // The written rules apply on servers that can read all roles, too.
      if (informers.lacksClusterRoles) throw new RequeueError('some roles cannot be read');
      const rules = aggregatedRules(role, byName(), matcherOf);
      if (!sameRules(rules, role.rules)) await apply(options, name, rules);
      return undefined;
    },
  };
}

const clusterRoles = (policy: RbacPolicy): readonly RoleObject[] =>
  [...policy.roles()].filter(({ namespace }) => namespace === '').sort((a, b) => (a.name < b.name ? -1 : 1));

async function apply(
  { deps, endpoints, client }: RoleAggregationOptions,
  name: string,
  rules: readonly PolicyRule[],
): Promise<void> {
  const endpoint = endpoints.clusterroles;
  const options = { dryRun: false, fieldValidation: 'Strict', fieldManager: MANAGER, force: true } as const;
  const { group, version, kind } = endpoint.definition;
  const applied = { apiVersion: `${group}/${version}`, kind, metadata: { name }, rules } as unknown as JsonObject;
  const merge = merging(deps, { endpoint, namespace: '', name, subresource: '' }, applied, options);
  const target = { endpoint, key: { namespace: '', name } };
  await client
    .update(target, (current) => merge(current), { options, changeKind: 'apply' })
    .catch(ignoreMissing(endpoint, name));
}

/** Returns the matcher of a selector. An invalid one, which validation refuses, matches nothing. */
function matcherOf(selector: RoleSelector): LabelMatcher {
  try {
    const made = labelSelectorOf(selector as LabelSelectorObject);
    return (labels) => made.matches(labels);
  } catch {
    return () => false;
  }
}
