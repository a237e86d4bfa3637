import { authenticated } from '@orch/authentication';
import { describe, expect, it } from 'vitest';
import type { RequestAttributes } from '../authorizer.js';
import { describeRules } from './describe-rules.js';
import { RbacPolicy } from './policy.js';
import type { PolicyRule } from './policy-rule.js';
import { rbacAuthorizer } from './rbac-authorizer.js';
import type { BindingObject, RoleObject, Subject } from './rbac-objects.js';

const GROUP = 'rbac.authorization.k8s.io';
const userOf = (name: string, ...groups: string[]) => authenticated({ name, groups, extra: {} }, 'token').user;
const JANE = userOf('jane', 'devs');
const POD: RequestAttributes = {
  verb: 'get',
  isResourceRequest: true,
  path: '',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'a',
  name: 'p',
};
const url = (path: string, verb = 'get'): RequestAttributes => ({
  ...{ ...POD, verb, path, isResourceRequest: false },
  ...{ version: '', resource: '', namespace: '', name: '' },
});
const PODS: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const role = (namespace: string, name: string, ...rules: PolicyRule[]): RoleObject => ({
  ...{ namespace, name, rules, labels: {} },
});
const binding = (namespace: string, name: string, ref: string, ...subjects: Subject[]): BindingObject => {
  const [kind = '', of = ''] = ref.split('/');
  return { namespace, name, subjects, roleRef: { apiGroup: GROUP, kind, name: of } };
};
const USER: Subject = { kind: 'User', name: 'jane' };
const DEVS: Subject = { kind: 'Group', name: 'devs' };

function policyOf(...objects: (RoleObject | BindingObject)[]): RbacPolicy {
  const policy = new RbacPolicy(GROUP);
  for (const object of objects) {
    if ('rules' in object) policy.putRole(object);
    else policy.putBinding(object);
  }
  return policy;
}

const allows = (rule: PolicyRule, request: RequestAttributes) =>
  policyOf(role('', 'r', rule), binding('', 'b', 'ClusterRole/r', USER)).decide(JANE, request).decision === 'allow';

describe('a rule', () => {
  it.each<[string, PolicyRule, Partial<RequestAttributes>, boolean]>([
    ['the resource', PODS, {}, true],
    ['another verb', PODS, { verb: 'watch' }, false],
    ['another group', PODS, { group: 'apps' }, false],
    ['a subresource', PODS, { subresource: 'log' }, false],
    ['the subresource itself', { ...PODS, resources: ['pods/log'] }, { subresource: 'log' }, true],
    ['not the resource by its subresource', { ...PODS, resources: ['pods/log'] }, {}, false],
    ['a subresource of all', { ...PODS, resources: ['*/scale'] }, { subresource: 'scale' }, true],
    ['another subresource of all', { ...PODS, resources: ['*/scale'] }, { subresource: 'status' }, false],
    ['all subresources by no such pattern', { ...PODS, resources: ['pods/*'] }, { subresource: 'log' }, false],
    ['everything', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, { subresource: 'log', verb: 'x' }, true],
    ['one of its names', { ...PODS, resourceNames: ['p', 'q'] }, {}, true],
    ['another name', { ...PODS, resourceNames: ['q'] }, {}, false],
    ['what has no name yet', { ...PODS, resourceNames: ['p'] }, { name: '' }, false],
  ])('allows %s, or not', (_what, rule, request, expected) => {
    expect(allows(rule, { ...POD, ...request })).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['/healthz', '/healthz', true],
    ['/healthz', '/healthz/x', false],
    ['/healthz/*', '/healthz/x', true],
    ['/healthz/*', '/healthz', false],
    ['/apis*', '/apis', true],
    ['*', '/x', true],
    ['/*/x', '/y/x', false],
  ])('of %s on %s: %s %s', (pattern, path, expected) => {
    expect(allows({ verbs: ['get'], nonResourceURLs: [pattern] }, url(path))).toBe(expected);
    expect(allows({ verbs: ['post'], nonResourceURLs: [pattern] }, url(path))).toBe(false);
  });

  it('beside others that let do the same allows what each says, and no more', () => {
    const named = { ...PODS, resources: ['secrets'], resourceNames: ['p'] };
    const rules = [
      PODS,
      { ...PODS, resources: ['services', 'pods'] },
      named,
      { ...PODS, resources: ['nodes'], verbs: ['x'] },
    ];
    const policy = policyOf(role('', 'r', ...rules), binding('', 'b', 'ClusterRole/r', USER));
    const may = (more: Partial<RequestAttributes>) => policy.decide(JANE, { ...POD, ...more }).decision === 'allow';
    expect(['pods', 'services', 'secrets', 'nodes'].map((resource) => may({ resource }))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect(may({ resource: 'secrets', name: 'q' })).toBe(false);
    expect(may({ resource: 'nodes', verb: 'x' })).toBe(true);
  });

  it('on resources says nothing of paths', () => {
    expect(allows({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, url('/x'))).toBe(false);
  });
});

describe('a policy', () => {
  it('says by which binding, role and subject', () => {
    const account: Subject = { kind: 'ServiceAccount', name: 'robot' };
    const policy = policyOf(
      role('', 'view', PODS),
      role('a', 'local', PODS),
      binding('', 'all', 'ClusterRole/view', DEVS),
      binding('a', 'some', 'Role/local', { kind: 'User', name: 'joe' }, account),
    );
    expect(policy.decide(JANE, POD).reason).toBe(
      'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "view" to Group "devs"',
    );
    expect(policy.decide(userOf('system:serviceaccount:a:robot'), POD).reason).toBe(
      'RBAC: allowed by RoleBinding "some/a" of Role "local" to ServiceAccount "robot/a"',
    );
    expect(policy.decide(userOf('system:serviceaccount:b:robot'), POD)).toEqual({ decision: 'no-opinion', reason: '' });
  });

  it('says by the first subject that the user is, and looks at no others however many there are', () => {
    let looks = 0;
    const others = Array.from({ length: 10_000 }, (_, at): Subject => {
      const subject = { kind: 'User', name: `user-${at}` };
      return {
        ...subject,
        get kind() {
          looks++;
          return subject.kind;
        },
      };
    });
    const policy = policyOf(role('', 'view', PODS), binding('', 'all', 'ClusterRole/view', ...others, DEVS, USER));
    looks = 0;
    expect(policy.decide(JANE, POD).reason).toMatch(/ to Group "devs"$/);
    expect(looks).toBe(0);
  });

  it('gives the rights of a RoleBinding in its namespace alone, and none on paths', () => {
    const everything = [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ];
    const policy = policyOf(role('', 'admin', ...everything), binding('a', 'b', 'ClusterRole/admin', USER));
    const decided = (request: RequestAttributes) => policy.decide(JANE, request).decision;
    expect(decided(POD)).toBe('allow');
    for (const namespace of ['', 'b']) expect(decided({ ...POD, namespace })).toBe('no-opinion');
    expect(decided(url('/x'))).toBe('no-opinion');
  });

  it('goes on past bindings whose role is missing, and names them when it refuses', () => {
    const bindings = [binding('', 'x', 'ClusterRole/gone', USER), binding('a', 'y', 'Role/lost', DEVS)];
    const policy = policyOf(...bindings);
    expect(policy.decide(JANE, POD).reason).toBe(
      `RBAC: [clusterrole.${GROUP} "gone" not found, role.${GROUP} "lost" not found]`,
    );
    expect(policy.decide(JANE, { ...POD, namespace: '' }).reason).toBe(`RBAC: clusterrole.${GROUP} "gone" not found`);
    policy.putRole(role('a', 'lost', PODS));
    expect(policy.decide(JANE, POD).decision).toBe('allow');
  });

  it('follows changes, and says whom they concern', () => {
    const policy = policyOf(role('', 'r', PODS), binding('', 'b', 'ClusterRole/r', USER, DEVS));
    const both = { users: new Set(['jane']), groups: new Set(['devs']) };
    const decided = () => policy.decide(JANE, POD).decision;
    expect(policy.putRole(role('', 'r'))).toEqual(both);
    expect(decided()).toBe('no-opinion');
    expect(policy.removeRole('', 'r')).toEqual(both);
    expect(policy.putRole(role('', 'r', PODS)), 'nobody may do less').toBeUndefined();
    expect(decided()).toBe('allow');
    expect(policy.putBinding(binding('', 'b', 'ClusterRole/r', { kind: 'User', name: 'joe' }))).toEqual(both);
    expect(decided()).toBe('no-opinion');
    expect(policy.putBinding(binding('a', 'c', 'ClusterRole/r', USER))).toBeUndefined();
    expect(decided()).toBe('allow');
    expect(policy.removeBinding('a', 'c')).toEqual({ users: new Set(['jane']), groups: new Set() });
    expect(policy.removeBinding('a', 'c')).toBeUndefined();
    const more = { verbs: ['delete'], apiGroups: [''], resources: ['pods'] };
    expect(policy.putRole(role('', 'r', more, PODS)), 'nobody may do less').toBeUndefined();
    policy.putBinding(binding('', 'd', 'ClusterRole/r', USER, DEVS));
    const without = policy.putBinding(binding('', 'd', 'ClusterRole/r', DEVS, { kind: 'User', name: 'ann' }));
    expect(without, 'only who is left out').toEqual({ users: new Set(['jane']), groups: new Set() });
    policy.removeBinding('', 'd');
    expect(policy.putRole(role('a', 'unbound', PODS))).toBeUndefined();
    expect(policy.putRole(role('a', 'unbound'))).toBeUndefined();
    expect(decided()).toBe('no-opinion');
  });

  it('lists the rules of a user, each binding once', async () => {
    const policy = policyOf(
      role('', 'r', PODS, { verbs: ['get'], nonResourceURLs: ['/x'] }),
      binding('', 'b', 'ClusterRole/r', USER, DEVS),
      binding('a', 'c', 'ClusterRole/gone', USER),
    );
    expect(await rbacAuthorizer(policy).rulesFor?.(JANE, 'a')).toEqual({
      resourceRules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'], resourceNames: [] }],
      pathRules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
      incomplete: false,
      problems: [`clusterrole.${GROUP} "gone" not found`],
    });
  });
});

describe('rules in a refusal', () => {
  it('stand in order, with all verbs on a resource together', () => {
    expect(
      describeRules([
        { verbs: ['list'], apiGroups: ['apps'], resources: ['deployments'] },
        { verbs: ['get'], nonResourceURLs: ['/x'] },
        { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['list'], apiGroups: [''], resources: ['pods'] },
        { verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['p'] },
      ]),
    ).toEqual([
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["p"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      '{APIGroups:["apps"], Resources:["deployments"], Verbs:["list"]}',
      '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ]);
  });
});
