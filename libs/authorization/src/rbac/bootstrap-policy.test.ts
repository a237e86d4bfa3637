import { namesOf } from '@orch/machinery';
import { describe, expect, it } from 'vitest';
import { bootstrapPolicy } from './bootstrap-policy.js';

const GATED = new Set(['APISelfSubjectReview', 'PodDisruptionConditions', 'StatefulSetAutoDeletePVC']);
const policyOf = (profile: 'orch' | 'kubernetes') => bootstrapPolicy(namesOf(profile), (gate) => GATED.has(gate));

describe('what every installation has', () => {
  const { roles, bindings } = policyOf('kubernetes');
  const role = (name: string) => roles.find((each) => each.name === name)?.object;

  it('is as many as the release has with the features that are on', () => {
    const count = (resource: string) => [...roles, ...bindings].filter((each) => each.resource === resource).length;
    expect([count('clusterroles'), count('roles')]).toEqual([62, 7]);
    expect([count('clusterrolebindings'), count('rolebindings')]).toEqual([43, 7]);
  });

  it.each([
    ['administrators', 'cluster-admin-users', 'cluster-admin'],
    ['kubeletClients', 'kubelet-client-users', 'system:kubelet-api-admin'],
  ])('has a binding for %s where some are named', (users, binding, role) => {
    const { bindings: more } = bootstrapPolicy(namesOf('kubernetes'), () => true, { [users]: ['jane', 'joe'] });
    const found = more.find(({ name }) => name === binding);
    expect(found).toMatchObject({
      resource: 'clusterrolebindings',
      object: {
        roleRef: { kind: 'ClusterRole', name: role },
        subjects: [
          { kind: 'User', name: 'jane' },
          { kind: 'User', name: 'joe' },
        ],
      },
    });
    expect(bindings.some(({ name }) => name === binding)).toBe(false);
    expect(more.filter(({ name }) => name.endsWith('-users'))).toEqual([found]);
  });

  it('has the names of the installation', () => {
    expect(role('system:basic-user')?.rules).toEqual([
      {
        verbs: ['create'],
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
      },
      { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    ]);
    expect(role('edit')).toMatchObject({
      metadata: {
        labels: {
          'kubernetes.io/bootstrapping': 'rbac-defaults',
          'rbac.authorization.k8s.io/aggregate-to-admin': 'true',
        },
        annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
      },
      aggregationRule: {
        clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-edit': 'true' } }],
      },
    });
    expect(role('system:certificates.k8s.io:legacy-unknown-approver')?.rules).toContainEqual({
      verbs: ['approve'],
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
      resourceNames: ['kubernetes.io/legacy-unknown'],
    });
    const everything = JSON.stringify(policyOf('orch'));
    expect(everything).not.toMatch(/k8s|kubernetes/);
    expect(JSON.stringify([roles, bindings])).not.toMatch(/orch\.io/);
  });

  it('binds only roles that are there', () => {
    for (const { resource, namespace, object } of bindings) {
      const known = roles.filter((each) => each.resource === (resource === 'rolebindings' ? 'roles' : 'clusterroles'));
      expect(known.map((each) => `${each.namespace}/${each.name}`)).toContain(`${namespace}/${object.roleRef?.name}`);
    }
  });

  it('binds the role of each controller to its account, without which it is refused all that it does', () => {
    const prefix = 'system:controller:';
    const controllers = roles.map(({ name }) => name).filter((name) => name.startsWith(prefix));
    const bound = bindings.filter(({ name }) => name.startsWith(prefix) && controllers.includes(name));
    expect(bound.map(({ object }) => [object.roleRef?.name, object.subjects]).sort()).toEqual(
      controllers
        .map((name) => {
          const account = { kind: 'ServiceAccount', namespace: 'kube-system', name: name.slice(prefix.length) };
          return [name, [expect.objectContaining(account)]];
        })
        .sort(),
    );
  });
});
