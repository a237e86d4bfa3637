import { authenticated } from '@orch/authentication';
import type { RbacPolicy, RequestAttributes } from '@orch/authorization';
import type { ApiObject } from '@orch/machinery';
import { policyEndpoints } from '@orch/resources';
import { DEFAULT_FEATURES } from '@orch/schema';
import type { ProcessLease } from '@orch/storage';
import { controllerHost, leavingOut, runControllers, type TestApi, testApi } from '@orch/testing';
import { ControllerClient } from '@orch/writing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BootstrapPolicyKeeper } from './bootstrap-policy-keeper.js';
import { PolicyInformers } from './policy-informers.js';
import type { ApiBinding, ApiRole } from './policy-objects.js';
import { roleAggregation } from './role-aggregation.js';

const GROUP = 'rbac.authorization.k8s.io';
const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';
const PODS = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const GET_POD: RequestAttributes = {
  ...{ verb: 'get', isResourceRequest: true, path: '', group: '', version: 'v1', resource: 'pods', subresource: '' },
  ...{ namespace: 'default', name: 'p' },
};
const JANE = authenticated({ name: 'jane', groups: [], extra: {} }, 'token').user;

/** A lease that others hold until it is free. */
class Lease {
  free = true;
  of(): ProcessLease {
    return { take: async () => this.free, giveBack: async () => undefined } as ProcessLease;
  }
}

let api: TestApi;
let lease: Lease;
let policy: RbacPolicy;
let informers: PolicyInformers;
const errors: unknown[] = [];
beforeEach(async () => {
  api = await testApi({}, 'kubernetes');
  lease = new Lease();
  policy = api.policy;
  const endpoints = policyEndpoints(api.deps);
  const onError = (error: unknown) => void errors.push(error);
  informers = new PolicyInformers({ store: api.store, feed: api.feed, endpoints, policy, onError });
});
afterEach(() => {
  informers.stop();
  api.close();
  expect(errors.splice(0)).toEqual([]);
});

const parts = () => ({
  ...{ deps: api.deps, endpoints: policyEndpoints(api.deps), policy, informers },
  ...{ store: { lease: () => lease.of() }, features: DEFAULT_FEATURES, users: {} },
});
const keeper = () => new BootstrapPolicyKeeper(parts());
const aggregation = (known = informers) => {
  const client = new ControllerClient(controllerHost(api), 'clusterrole-aggregation-controller');
  const { deps, endpoints } = parts();
  const controllers = [roleAggregation({ deps, endpoints, policy, informers: known, client })];
  return runControllers({ controllers }, { onError: (error) => void errors.push(error) });
};
const role = (name: string) => api.stored('clusterroles', name) as ApiRole | undefined;
const binding = (name: string) => api.stored('clusterrolebindings', name) as ApiBinding | undefined;
const change = (resource: string, name: string, by: (object: ApiObject) => ApiObject) =>
  api.deps.pipeline.write(api.request('UPDATE', resource, name), { change: by });
const annotated = (object: ApiObject): ApiObject => ({
  ...object,
  metadata: { ...object.metadata, annotations: { [AUTO_UPDATE]: 'false' } },
});

describe('a policy that follows', () => {
  it('knows what was there and what comes, changes and goes, and says whose rights may be fewer', async () => {
    await api.create('roles', { metadata: { name: 'pods' }, rules: [PODS] });
    await informers.start();
    const concerned: unknown[] = [];
    informers.onLoss((each) => void concerned.push([...each.users, ...each.groups]));
    const decision = () => policy.decide(JANE, GET_POD).decision;
    expect(decision()).toBe('no-opinion');
    await api.create('rolebindings', {
      metadata: { name: 'jane' },
      roleRef: { apiGroup: GROUP, kind: 'Role', name: 'pods' },
      subjects: [{ kind: 'User', apiGroup: GROUP, name: 'jane' }],
    });
    await informers.confirm();
    expect([decision(), concerned]).toEqual(['allow', []]);
    await change('roles', 'pods', (object) => ({ ...object, rules: [] }));
    await informers.confirm();
    expect([decision(), concerned]).toEqual(['no-opinion', [['jane']]]);
  });
});

describe('a binding that cannot be read', () => {
  it('gives nothing, and keeps nobody from what others give', async () => {
    await api.create('roles', { metadata: { name: 'pods' }, rules: [PODS] });
    const bindingOf = (name: string, user: string) => ({
      metadata: { name },
      roleRef: { apiGroup: GROUP, kind: 'Role', name: 'pods' },
      subjects: [{ kind: 'User', apiGroup: GROUP, name: user }],
    });
    await api.create('rolebindings', bindingOf('jane', 'jane'));
    await api.create('rolebindings', bindingOf('joe', 'joe'));
    const told: string[] = [];
    const lacking = new PolicyInformers({
      ...{ store: leavingOut(api.store, ({ name }) => name === 'jane'), feed: api.feed, policy },
      endpoints: policyEndpoints(api.deps),
      onError: (error) => void told.push((error as Error).message),
    });
    await lacking.start();
    lacking.stop();
    const joe = authenticated({ name: 'joe', groups: [], extra: {} }, 'token').user;
    expect([JANE, joe].map((user) => policy.decide(user, GET_POD).decision)).toEqual(['no-opinion', 'allow']);
    expect(told).toEqual(['unable to read things "default/jane": no key']);
  });
});

describe('what every installation has', () => {
  const start = async () => {
    for (const name of ['kube-system', 'kube-public']) await api.create('namespaces', { metadata: { name } });
    await informers.start();
    await keeper().keep();
  };

  it('is made, and known when it is', async () => {
    await start();
    expect([...policy.roles()]).toHaveLength(69);
    expect(policy.binding('', 'cluster-admin')?.subjects).toMatchObject([{ kind: 'Group', name: 'system:masters' }]);
    expect(api.stored('roles', 'system:controller:token-cleaner', 'kube-system')).toBeDefined();
  });

  it('is written once: the next server has nothing to do', async () => {
    await start();
    lease.free = false;
    const before = role('view')?.metadata?.resourceVersion;
    await keeper().keep();
    expect(role('view')?.metadata?.resourceVersion).toBe(before);
  });

  it('is left as it is where it cannot be read, and the rest is kept', async () => {
    await start();
    await change('clusterroles', 'view', (object) => ({ ...object, metadata: { ...object.metadata, labels: {} } }));
    await change('clusterroles', 'system:basic-user', (object) => ({ ...object, rules: [] }));
    const before = role('view')?.metadata?.resourceVersion;
    const lacking = leavingOut(api.store, ({ name }) => name === 'view');
    const reader: Pick<typeof api.deps.reader, 'current'> = {
      current: async (type, key) => {
        await lacking.get(type, key);
        return api.deps.reader.current(type, key);
      },
    };
    const deps = { ...api.deps, reader: reader as typeof api.deps.reader };
    await new BootstrapPolicyKeeper({ ...parts(), deps }).keep();
    expect(role('view')?.metadata?.resourceVersion).toBe(before);
    expect(role('system:basic-user')?.rules).not.toEqual([]);
  });

  it('gets back what is missing and keeps what is more, unless its owner wants it as it is', async () => {
    await start();
    const extra = { verbs: ['get'], apiGroups: ['example.com'], resources: ['things'] };
    await change('clusterroles', 'system:basic-user', (object) => ({ ...object, rules: [extra] }));
    await change('clusterroles', 'system:discovery', (object) => ({ ...annotated(object), rules: [] }));
    await change('clusterrolebindings', 'system:basic-user', (object) => ({
      ...object,
      subjects: [{ kind: 'User', apiGroup: GROUP, name: 'jane' }],
    }));
    await api.deps.remover.remove(
      api.endpoint('clusterrolebindings'),
      { namespace: '', name: 'system:public-info-viewer' },
      { dryRun: false },
      api.request('DELETE', 'clusterrolebindings', '').caller,
    );
    await keeper().keep();
    const rules = role('system:basic-user')?.rules ?? [];
    expect(rules[0]).toEqual(extra);
    expect(rules.length).toBeGreaterThan(2);
    expect(role('system:discovery')?.rules ?? []).toEqual([]);
    expect(binding('system:basic-user')?.subjects?.map(({ name }) => name)).toEqual(['jane', 'system:authenticated']);
    expect(binding('system:public-info-viewer')).toBeDefined();
  });

  it('replaces a binding of another role', async () => {
    await api.create('clusterrolebindings', {
      metadata: { name: 'system:discovery' },
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'Group', apiGroup: GROUP, name: 'system:authenticated' }],
    });
    await start();
    expect(binding('system:discovery')?.roleRef?.name).toBe('system:discovery');
  });

  it('is waited for while another server makes it', async () => {
    lease.free = false;
    await informers.start();
    let done = false;
    const kept = keeper()
      .keep()
      .then(() => {
        done = true;
      });
    const other = new Lease();
    await new BootstrapPolicyKeeper({ ...parts(), store: { lease: () => other.of() } }).keep();
    expect(done).toBe(false);
    lease.free = true;
    await kept;
  });
});

describe('a role that is made of others', () => {
  it('loses nothing where one of them cannot be read', async () => {
    const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
    for (const name of ['a', 'b'])
      await api.create('clusterroles', { metadata: { name, labels: { first: 'true' } }, rules: [rule(name)] });
    const selector = { matchLabels: { first: 'true' } };
    for (const name of ['all', 'none'])
      await api.create('clusterroles', {
        metadata: { name },
        aggregationRule: { clusterRoleSelectors: [selector] },
        rules: name === 'all' ? [rule('a'), rule('b')] : [],
      });
    let isUnreadable = true;
    const lacking = new PolicyInformers({
      ...{ store: leavingOut(api.store, ({ name }) => isUnreadable && name === 'b'), feed: api.feed, policy },
      endpoints: policyEndpoints(api.deps),
      onError: () => undefined,
    });
    await lacking.start();
    const looks = vi.spyOn(lacking, 'lacksClusterRoles', 'get');
    const aggregator = await aggregation(lacking);
    await expect.poll(() => looks.mock.calls.length).toBeGreaterThan(0);
    expect([role('all')?.rules?.length, role('none')?.rules?.length]).toEqual([2, 0]);
    isUnreadable = false;
    await expect.poll(() => role('none')?.rules?.length).toBe(2);
    await aggregator.stop();
    lacking.stop();
  });

  it('has their rules, in the order of selectors and names, each once, whatever it had', async () => {
    const labelled = (name: string, label: string, ...rules: object[]) =>
      api.create('clusterroles', { metadata: { name, labels: { [label]: 'true' } }, rules });
    const rule = (resource: string) => ({ verbs: ['get'], apiGroups: [''], resources: [resource] });
    await labelled('b', 'first', rule('b'), rule('shared'));
    await labelled('a', 'first', rule('a'), rule('shared'));
    await labelled('c', 'second', rule('c'), rule('a'));
    const selectors = ['second', 'first'].map((label) => ({ matchLabels: { [label]: 'true' } }));
    await api.create('clusterroles', {
      metadata: { name: 'all', labels: { first: 'true' } },
      aggregationRule: { clusterRoleSelectors: selectors },
      rules: [rule('by-hand')],
    });
    await informers.start();
    const aggregator = await aggregation();
    const resources = () => role('all')?.rules?.map(({ resources: of }) => of?.[0]);
    await expect.poll(resources).toEqual(['c', 'a', 'shared', 'b']);
    await change('clusterroles', 'b', (object) => ({ ...object, rules: [rule('z')] }));
    await expect.poll(resources).toEqual(['c', 'a', 'shared', 'z']);
    await aggregator.stop();
  });

  it('reads all roles once for a change, however many are made of others', async () => {
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: 'true' } }] };
    const names = ['u', 'v', 'w', 'x', 'y', 'z'];
    for (const name of names) await api.create('clusterroles', { metadata: { name }, aggregationRule, rules });
    await api.create('clusterroles', { metadata: { name: 'part', labels: { part: 'true' } }, rules });
    await informers.start();
    const aggregator = await aggregation();
    await expect.poll(() => role('z')?.rules?.length).toBe(1);
    const reads = vi.spyOn(policy, 'roles');
    await change('clusterroles', 'part', (object) => ({ ...object, metadata: { ...object.metadata, labels: {} } }));
    await expect.poll(() => names.every((name) => (role(name)?.rules ?? []).length === 0)).toBe(true);
    await informers.confirm();
    // One for the change by the test, one for each that was written then, and what was still to be heard of before.
    expect(reads.mock.calls.length).toBeLessThanOrEqual(9);
    await aggregator.stop();
  });
});
