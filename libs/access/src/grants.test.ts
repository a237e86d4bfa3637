import { AuditNotes } from '@orch/audit';
import { authenticated } from '@orch/authentication';
import { type PolicyRule, rbacAuthorizer } from '@orch/authorization';
import { type ApiObject, copy, StatusError } from '@orch/machinery';
import { type TestApi, testApi } from '@orch/testing';
import type { Caller } from '@orch/writing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const GROUP = 'rbac.authorization.orch.io';
const PODS: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const SECRETS: PolicyRule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const EVERYTHING: readonly PolicyRule[] = [
  { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  { nonResourceURLs: ['*'], verbs: ['*'] },
];
/** Selects roles that others are to be made of. */
const AGGREGATION = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };

let api: TestApi;
beforeEach(async () => {
  api = await testApi();
});
afterEach(() => api.close());

/** Rights of `eve` in all namespaces. */
function grant(...rules: readonly PolicyRule[]): void {
  const roleRef = { apiGroup: GROUP, kind: 'ClusterRole', name: 'of-eve' };
  api.policy.putRole({ namespace: '', name: 'of-eve', labels: {}, rules });
  api.policy.putBinding({ namespace: '', name: 'eve', roleRef, subjects: [{ kind: 'User', name: 'eve' }] });
}

/** A caller whom the chain has let in, with the groups that every user with credentials is in. */
function callerOf(name: string, verb: string, resource: string, named: string, ...groups: string[]): Caller {
  const at = { isResourceRequest: true, path: '', group: GROUP, version: 'v1', subresource: '', namespace: 'default' };
  return {
    user: authenticated({ name, groups, extra: {} }, 'token').user,
    access: { authorizer: rbacAuthorizer(api.policy), request: { ...at, verb, resource, name: named } },
    agent: 'test',
    warnings: [],
    annotations: new AuditNotes(),
    deadline: Number.POSITIVE_INFINITY,
  };
}

const messageOf = (write: Promise<unknown>): Promise<string> =>
  write.then(
    () => 'written',
    (error: unknown) => {
      if (error instanceof StatusError) return `${error.code} ${error.message}`;
      throw error;
    },
  );

/** What becomes of a creation; a POST has no name in its path. */
function create(resource: string, object: ApiObject, user = 'eve', ...groups: string[]): Promise<string> {
  const caller = callerOf(user, 'create', resource, '', ...groups);
  const request = api.request('CREATE', resource, object.metadata?.name ?? '', { caller });
  return messageOf(api.deps.pipeline.write(request, { create: () => copy(object) }));
}

function change(resource: string, name: string, changed: object): Promise<string> {
  const request = api.request('UPDATE', resource, name, { caller: callerOf('eve', 'update', resource, name) });
  return messageOf(api.deps.pipeline.write(request, { change: (current) => ({ ...current, ...changed }) }));
}

const role = (name: string, ...rules: PolicyRule[]) => ({ metadata: { name }, rules });
const binding = (name: string, kind: string, to: string) => ({
  metadata: { name },
  roleRef: { apiGroup: GROUP, kind, name: to },
  subjects: [{ apiGroup: GROUP, kind: 'User', name: 'joe' }],
});

describe('who writes a role', () => {
  it('gives what it has, and no more', async () => {
    grant(PODS);
    expect(await create('roles', role('own', PODS))).toBe('written');
    expect(await create('roles', role('more', PODS, SECRETS))).toBe(
      `403 roles.${GROUP} "more" is forbidden: user "eve" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n` +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}',
    );
    expect(await change('roles', 'own', { rules: [SECRETS] })).toMatch(/^403 .* not currently held/);
    expect(api.stored('roles', 'own')).toMatchObject({ rules: [PODS] });
  });

  it('gives anything as a member of system:masters, and of no other group that all are in', async () => {
    expect(await create('roles', role('a', SECRETS), 'root', 'system:masters')).toBe('written');
    expect(await create('roles', role('b', SECRETS), 'joe', 'system:authenticated')).toMatch(/^403 /);
  });

  it('gives anything in a role that it may escalate, which it names by its path alone', async () => {
    grant({ apiGroups: [GROUP], resources: ['roles'], verbs: ['escalate'], resourceNames: ['named'] });
    expect(await create('roles', role('named', SECRETS))).toMatch(/^403 /);
    await api.create('roles', role('named'));
    await api.create('roles', role('other'));
    expect(await change('roles', 'other', { rules: [SECRETS] })).toMatch(/^403 /);
    expect(await change('roles', 'named', { rules: [SECRETS] })).toBe('written');
  });

  it('is not asked about owners and finalizers alone', async () => {
    const made = await api.create('roles', role('powerful', SECRETS));
    const labelled = { ...made.metadata, labels: { a: 'b' } };
    expect(await change('roles', 'powerful', { metadata: labelled })).toMatch(/^403 /);
    const finalized = { ...made.metadata, finalizers: ['x.io/y'] };
    expect(await change('roles', 'powerful', { metadata: finalized })).toBe('written');
  });
});

describe('what a refusal says of many rules', () => {
  const many = (of: string, count: number) => Array.from({ length: count }, (_, at) => `${of}${at}`);
  /** Each resource is a line of its own for having a verb of its own. */
  const apart = (count: number) =>
    many('r', count).map((resource) => ({ apiGroups: [''], resources: [resource], verbs: [`v-${resource}`] }));
  const linesOf = async (count: number) => (await create('roles', role('many', ...apart(count)))).split('\n').slice(1);

  it('are 500 of them, and how many more there are', async () => {
    expect(await linesOf(500)).toHaveLength(500);
    expect((await linesOf(500)).at(-1)).toContain('APIGroups');
    const lines = await linesOf(503);
    expect(lines).toHaveLength(501);
    expect(lines.at(-1)).toBe('and 3 more');
  });

  it('is that there are more than 20,000 combinations, which are not looked at one by one', async () => {
    const product = (resources: number) => ({
      apiGroups: many('g', 20),
      resources: many('r', resources),
      verbs: many('v', 10),
    });
    expect(await create('roles', role('most', product(100)))).toContain('APIGroups:["g0"]');
    expect(await create('roles', role('more', product(100), PODS))).toContain(
      'more than 20000 combinations of what its rules list',
    );
  });
});

describe('a role that is made of others', () => {
  const refusal = `403 clusterroles.${GROUP} "made" is forbidden: must have cluster-admin privileges to use the aggregationRule`;

  it('is for those who may do everything', async () => {
    grant(PODS);
    const made = { ...role('made'), aggregationRule: AGGREGATION };
    expect(await create('clusterroles', made)).toBe(refusal);
    grant(...EVERYTHING.slice(0, 1));
    // Who may do all on resources may escalate as well, and is not asked for the rest.
    expect(await create('clusterroles', made)).toBe('written');
  });

  it('takes both all resources and all paths where nobody may escalate', async () => {
    const made = { ...role('made'), aggregationRule: AGGREGATION };
    grant({ nonResourceURLs: ['*'], verbs: ['*'] });
    expect(await create('clusterroles', made)).toBe(refusal);
  });

  it('is so for what it was before: nobody takes the rule away to write the role at will', async () => {
    grant(PODS);
    await api.create('clusterroles', { ...role('made'), aggregationRule: AGGREGATION } as ApiObject);
    expect(await change('clusterroles', 'made', { aggregationRule: undefined, rules: [PODS] })).toBe(refusal);
    await api.create('clusterroles', role('plain'));
    expect(await change('clusterroles', 'plain', { rules: [PODS] })).toBe('written');
  });
});

describe('who writes a binding', () => {
  beforeEach(async () => {
    for (const name of ['a', 'b']) await api.create('clusterroles', role(name, SECRETS));
    await api.create('roles', role('local', PODS));
  });

  it('gives roles whose rules it has', async () => {
    grant(PODS);
    expect(await create('rolebindings', binding('own', 'Role', 'local'))).toBe('written');
    expect(await create('rolebindings', binding('more', 'ClusterRole', 'a'))).toMatch(/^403 .* not currently held/);
    expect(await change('rolebindings', 'own', { subjects: [] })).toBe('written');
  });

  it('gives roles that it may bind: those that are named, of that kind', async () => {
    grant({ apiGroups: [GROUP], resources: ['clusterroles'], verbs: ['bind'], resourceNames: ['a', 'local'] });
    expect(await create('rolebindings', binding('one', 'ClusterRole', 'a'))).toBe('written');
    expect(await create('rolebindings', binding('two', 'ClusterRole', 'b'))).toMatch(/^403 /);
    expect(await create('rolebindings', binding('three', 'Role', 'local'))).toMatch(/^403 /);
  });

  it('may bind in the namespace of the binding alone', async () => {
    const rules = [{ apiGroups: [GROUP], resources: ['clusterroles'], verbs: ['bind'], resourceNames: ['a'] }];
    const roleRef = { apiGroup: GROUP, kind: 'Role', name: 'binder' };
    const subjects = [{ kind: 'User', name: 'eve' }];
    api.policy.putRole({ namespace: 'default', name: 'binder', labels: {}, rules });
    api.policy.putBinding({ namespace: 'default', name: 'binder', roleRef, subjects });
    expect(await create('rolebindings', binding('here', 'ClusterRole', 'a'))).toBe('written');
    expect(await create('clusterrolebindings', binding('everywhere', 'ClusterRole', 'a'))).toMatch(/^403 /);
  });

  it('is told what is wrong with one that gives no role, or one of an unknown kind', async () => {
    grant(PODS);
    const { roleRef: _, ...without } = binding('none', 'Role', 'local');
    for (const wrong of [without, binding('odd', 'role', 'local')])
      expect(await create('rolebindings', wrong)).toMatch(/^422 .*roleRef/);
  });

  it('gives no role that is not there', async () => {
    grant(PODS);
    expect(await create('rolebindings', binding('early', 'ClusterRole', 'none'))).toBe(
      `404 clusterroles.${GROUP} "none" not found`,
    );
  });
});

describe('who is let in without anybody to ask', () => {
  const created = (resource: string, object: ApiObject) => {
    const { access: _, ...caller } = callerOf('eve', 'create', resource, '');
    const request = api.request('CREATE', resource, object.metadata?.name ?? '', { caller });
    return messageOf(api.deps.pipeline.write(request, { create: () => copy(object) }));
  };

  it('may neither escalate nor bind', async () => {
    grant({ apiGroups: [GROUP], resources: ['*'], verbs: ['escalate', 'bind'] });
    expect(await created('roles', role('more', SECRETS))).toMatch(/^403 /);
  });

  it('makes a role of others where all resources and all paths are its own', async () => {
    const made = { ...role('made'), aggregationRule: AGGREGATION };
    grant(...EVERYTHING.slice(0, 1));
    expect(await created('clusterroles', made)).toMatch(/^403 .* aggregationRule$/);
    grant(...EVERYTHING);
    expect(await created('clusterroles', made)).toBe('written');
  });
});
