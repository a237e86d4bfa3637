import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from './kubectl.js';

const IMPERSONATORS = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: impersonator}
rules:
- {apiGroups: [""], resources: [users], resourceNames: [bob], verbs: [impersonate]}
- {apiGroups: [""], resources: [groups], resourceNames: [readers], verbs: [impersonate]}
- {apiGroups: [authentication.k8s.io], resources: [userextras/scopes], resourceNames: [view], verbs: [impersonate]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: impersonator}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: impersonator}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: impersonator-of-builder}
rules:
- {apiGroups: [""], resources: [serviceaccounts], resourceNames: [builder], verbs: [impersonate]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: impersonator-of-builder}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: impersonator-of-builder}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: readers}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: readers}]
`;

describe.each(['1.27', '1.33'] as const)('kubectl %s acts as others', (release) => {
  let server: Standalone;
  let kubectl: Kubectl;
  let jane: Api;

  beforeAll(async () => {
    const file = findKubectl(release);
    server = await startStandalone({ strangers: ['jane'] });
    kubectl = new Kubectl(file, server.kubeconfig);
    jane = new Api({ url: server.url, ca: server.ca, token: 'jane' });
    await kubectl.ok(['apply', '-f', '-'], { input: IMPERSONATORS });
  }, KUBECTL_BUILD_MS);

  afterAll(async () => {
    jane?.close();
    await server?.stop();
  });

  test('with the rights of the other, and no others', async () => {
    expect(await kubectl.refused(['get', 'pods', '--as=bob'])).toContain(
      'pods is forbidden: User "bob" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    await kubectl.ok(['get', 'pods', '--as=bob', '--as-group=readers']);
    expect((await kubectl.run(['auth', 'can-i', 'delete', 'pods', '--as=bob', '--as-group=readers'])).stdout).toBe(
      'no\n',
    );
    expect(await kubectl.ok(['auth', 'can-i', 'list', 'pods', '--as=bob', '--as-group=readers'])).toBe('yes\n');
    const account = '--as=system:serviceaccount:default:builder';
    expect((await kubectl.run(['auth', 'can-i', 'list', 'pods', account])).stdout).toBe('no\n');
    await kubectl.ok(['get', 'pods', account, '--as-group=readers', '--as-uid=u-1']);
    expect(await kubectl.refused(['get', 'pods', '--as-group=readers'])).toMatch(/without impersonating a user/i);
  });

  test('who has the right to it for each value alone', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    const answer = async (headers: Record<string, string>) => {
      const { status, text } = await jane.get(pods, headers);
      return status === 200 ? 200 : (JSON.parse(text) as { message: string }).message;
    };
    const bob = { 'impersonate-user': 'bob' };
    const readers = { 'impersonate-group': 'readers' };
    expect(await answer({ ...bob, ...readers })).toBe(200);
    expect(await answer({ ...bob, ...readers, 'impersonate-extra-scopes': 'view' })).toBe(200);
    for (const [headers, what] of [
      [{ 'impersonate-user': 'root' }, 'users "root" is forbidden'],
      [{ ...bob, 'impersonate-group': 'system:masters' }, 'groups "system:masters" is forbidden'],
      [{ ...bob, ...readers, 'impersonate-uid': 'u' }, 'uids.authentication.k8s.io "u" is forbidden'],
      [{ ...bob, 'impersonate-extra-scopes': 'edit' }, 'userextras.authentication.k8s.io "edit" is forbidden'],
      [{ ...bob, 'impersonate-extra-other': 'view' }, 'userextras.authentication.k8s.io "view" is forbidden'],
      [{ 'impersonate-user': 'system:serviceaccount:kube-system:builder' }, 'serviceaccounts "builder" is forbidden'],
    ] as const) {
      expect(await answer(headers)).toContain(`${what}: User "jane" cannot impersonate resource`);
    }
    expect(await answer({ 'impersonate-user': 'system:serviceaccount:default:builder' })).toContain(
      'User "system:serviceaccount:default:builder" cannot list resource "pods"',
    );
  });
});
