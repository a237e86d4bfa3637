import type { UserInfo } from '@orch/authentication';
import type { Authorizer, Decision, RequestAttributes, UserRules } from '../authorizer.js';
import type { RbacPolicy } from './policy.js';

/** Decides by roles and bindings (mode `RBAC`). */
export function rbacAuthorizer(policy: RbacPolicy): Authorizer {
  return {
    async authorize(user: UserInfo, request: RequestAttributes): Promise<Decision> {
      return policy.decide(user, request);
    },
    async rulesFor(user: UserInfo, namespace: string): Promise<UserRules> {
      const { rules, error } = policy.rulesFor(user, namespace);
      const onResources = rules.filter(({ resources }) => resources?.length);
      const onPaths = rules.filter(({ nonResourceURLs }) => nonResourceURLs?.length);
      return {
        resourceRules: onResources.map(({ verbs = [], apiGroups = [], resources = [], resourceNames = [] }) => ({
          ...{ verbs, apiGroups, resources, resourceNames },
        })),
        pathRules: onPaths.map(({ verbs = [], nonResourceURLs = [] }) => ({ verbs, nonResourceURLs })),
        incomplete: false,
        problems: error === '' ? [] : [error],
      };
    },
  };
}
