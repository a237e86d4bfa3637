/**
 * What a check by roles and bindings costs, in microseconds, with 10,000 of each; of five rounds the best.
 *
 *   npx tsc -b && npx tsx libs/authorization/bench/check.ts
 */
import { authenticated } from '@orch/authentication';
import {
  bootstrapPolicy,
  type PolicyRule,
  RbacPolicy,
  type RequestAttributes,
  type Subject,
} from '@orch/authorization';
import { namesOf } from '@orch/machinery';

const ROUNDS = 5;
const CHECKS = 200_000;
const MANY = 10_000;

const policy = new RbacPolicy('rbac.authorization.k8s.io');
const { roles, bindings } = bootstrapPolicy(namesOf('kubernetes'), () => true);
for (const { namespace, name, object } of roles) {
  policy.putRole({ namespace, name, labels: {}, rules: object.rules ?? [] });
}
for (const { namespace, name, object } of bindings) {
  if (object.roleRef) policy.putBinding({ namespace, name, roleRef: object.roleRef, subjects: object.subjects ?? [] });
}
const rules: PolicyRule[] = Array.from({ length: 20 }, (_, at) => ({
  verbs: ['get', 'list', 'watch'],
  apiGroups: ['', 'apps'],
  resources: [`things${at}`, 'pods', 'pods/log', 'deployments'],
}));
const apiGroup = 'rbac.authorization.k8s.io';
const bind = (namespace: string, name: string, kind: string, role: string, ...subjects: Subject[]) =>
  policy.putBinding({ namespace, name, roleRef: { apiGroup, kind, name: role }, subjects });
for (let index = 0; index < MANY; index++) {
  const namespace = `team-${index % 500}`;
  policy.putRole({ namespace, name: `role-${index}`, labels: {}, rules });
  const user = { kind: 'User', name: `user-${index}` };
  bind(namespace, `binding-${index}`, 'Role', `role-${index}`, user, { kind: 'Group', name: `group-${index % 100}` });
  bind('', `cluster-binding-${index}`, 'ClusterRole', 'view', { kind: 'User', name: `viewer-${index}` });
}

const request = (namespace: string, verb: string): RequestAttributes => ({
  ...{ verb, isResourceRequest: true, path: '', group: '', version: 'v1', resource: 'pods', subresource: '' },
  ...{ namespace, name: 'p' },
});

function measure(what: string, name: string, groups: string[], asked: RequestAttributes): void {
  const { user } = authenticated({ name, groups, extra: {} }, 'token');
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now();
    for (let index = 0; index < CHECKS; index++) policy.decide(user, asked);
    best = Math.min(best, ((performance.now() - begun) * 1000) / CHECKS);
  }
  process.stdout.write(`${what}: ${best.toFixed(2)} µs, ${policy.decide(user, asked).decision}\n`);
}

measure('allowed by a RoleBinding', 'user-7', [], request('team-7', 'get'));
measure('refused in its namespace', 'user-7', [], request('team-7', 'delete'));
measure('refused elsewhere', 'user-7', [], request('team-8', 'get'));
measure('nobody in particular', 'nobody', [], request('team-8', 'get'));
measure('in a group with 20 bindings', 'nobody', ['group-7'], request('team-7', 'delete'));
