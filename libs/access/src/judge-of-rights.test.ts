import { authenticated } from '@orch/authentication';
import { RbacPolicy, type RequestAttributes, rbacAuthorizer } from '@orch/authorization';
import { expect, it } from 'vitest';
import { rightsCheck } from './judge-of-rights.js';

const right = (verb: string, resource: string, name = ''): RequestAttributes => ({
  ...{
    verb,
    resource,
    name,
    isResourceRequest: true,
    path: '',
    group: '',
    version: 'v1',
    subresource: '',
    namespace: '',
  },
});
const userOf = (name: string) => authenticated({ name, groups: [], extra: {} }, 'token');
const WATCH = right('watch', 'pods');
const ADMIN = userOf('admin');

/** Who may do what: users by name, verbs and resources. */
function granted(...grants: [user: string, verb: string, resource: string][]) {
  const policy = new RbacPolicy('rbac');
  for (const [user, verb, resource] of grants) {
    const name = `${user} ${verb}`;
    policy.putRole({
      namespace: '',
      name,
      labels: {},
      rules: [{ verbs: [verb], apiGroups: [''], resources: [resource] }],
    });
    const roleRef = { apiGroup: 'rbac', kind: 'ClusterRole', name };
    policy.putBinding({ namespace: '', name, roleRef, subjects: [{ kind: 'User', name: user }] });
  }
  return { policy, judge: rightsCheck(rbacAuthorizer(policy)) };
}

it('a watch ends with the right of its user', async () => {
  const { policy, judge } = granted(['admin', 'watch', 'pods']);
  const watch = { authentication: ADMIN, user: ADMIN.user, request: WATCH };
  expect(await judge(watch)).toBeUndefined();
  policy.removeBinding('', 'admin watch');
  expect((await judge(watch))?.message).toContain('User "admin" cannot watch resource "pods"');
});

it('and with the right of who acts as that user', async () => {
  const { policy, judge } = granted(['admin', 'impersonate', 'users'], ['jane', 'watch', 'pods']);
  const impersonating = [right('impersonate', 'users', 'jane')];
  const watch = { authentication: ADMIN, user: userOf('jane').user, request: WATCH, impersonating };
  expect(await judge(watch)).toBeUndefined();
  policy.removeBinding('', 'admin impersonate');
  expect((await judge(watch))?.message).toContain('User "admin" cannot impersonate resource "users"');
});
