import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { expectRefusal, expectStatus } from './conformance.js';

const GROUP = 'rbac.authorization.k8s.io';
const RBAC = `/apis/${GROUP}/v1`;
const NS = `${RBAC}/namespaces/default`;
const PODS = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };
const MAY_WRITE = { apiGroups: [GROUP], resources: ['*'], verbs: ['create', 'update', 'patch', 'get'] };

const NODE_WATCH_GRACE_MS = 3_000;
const NODE = 'system:node:n1';

let server: Standalone;
let admin: Api;
let joe: Api;
beforeAll(async () => {
  server = await startStandalone({
    strangers: ['joe', 'ann', 'eve', NODE],
    groups: { [NODE]: 'system:nodes' },
    args: [`--node-watch-grace=${NODE_WATCH_GRACE_MS}ms`],
  });
  admin = as(server.token);
  joe = as('joe');
});
afterAll(async () => {
  admin?.close();
  joe?.close();
  await server?.stop();
});

const as = (token: string) => new Api({ url: server.url, ca: server.ca, token });
const role = (name: string, ...rules: object[]) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Role',
  metadata: { name },
  rules,
});
const clusterRole = (name: string, ...rules: object[]) => ({ ...role(name, ...rules), kind: 'ClusterRole' });
const binding = (name: string, ref: string, ...users: string[]) => {
  const [kind, of] = ref.split('/');
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { name },
    roleRef: { apiGroup: GROUP, kind, name: of },
    subjects: users.map((user) => ({ kind: 'User', apiGroup: GROUP, name: user })),
  };
};
const clusterBinding = (name: string, of: string, ...users: string[]) => ({
  ...binding(name, `ClusterRole/${of}`, ...users),
  kind: 'ClusterRoleBinding',
});
const made = async (path: string, object: object) => expectStatus(await admin.post(path, object), 201);
const mayList = async (api: Api, path: string) => (await api.get(path)).status === 200;
const review = async (api: Api, attributes: object) =>
  expectStatus(
    await api.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectAccessReview',
      spec: attributes,
    }),
    201,
  ).json().status;
const may = async (api: Api, verb: string, resource: string, more: object = {}) =>
  (await review(api, { resourceAttributes: { verb, resource, namespace: 'default', ...more } })).allowed === true;

describe('the roles that every installation has', () => {
  test('are there when the server says that it is ready', async () => {
    const roles = expectStatus(await admin.get(`${RBAC}/clusterroles`), 200).json();
    expect(roles.items).toHaveLength(62);
    expect(expectStatus(await admin.get('/readyz?verbose'), 200).text).toContain(
      '[+]poststarthook/rbac/bootstrap-roles ok',
    );
  });

  test('of which some are made of others', async () => {
    const rulesOf = async (name: string) => (await admin.get(`${RBAC}/clusterroles/${name}`)).json().rules ?? [];
    await expect.poll(async () => (await rulesOf('admin')).length).toBeGreaterThan(15);
    const labels = { [`${GROUP}/aggregate-to-view`]: 'true' };
    const rule = { apiGroups: ['example.com'], resources: ['things'], verbs: ['get'] };
    const more = { ...clusterRole('more-to-view', rule), metadata: { name: 'more-to-view', labels } };
    await made(`${RBAC}/clusterroles`, more);
    for (const name of ['view', 'edit', 'admin']) await expect.poll(() => rulesOf(name)).toContainEqual(rule);
    const { metadata } = (await admin.get(`${RBAC}/clusterroles/view`)).json();
    expect(metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)).toContain(
      'clusterrole-aggregation-controller Apply',
    );
    await admin.delete(`${RBAC}/clusterroles/more-to-view`);
    for (const name of ['view', 'edit', 'admin']) await expect.poll(() => rulesOf(name)).not.toContainEqual(rule);
  });

  test('show health and version to everybody, and nothing else', async () => {
    const nobody = new Api({ url: server.url, ca: server.ca });
    const statuses = async (...paths: string[]) =>
      Promise.all(paths.map(async (path) => (await nobody.get(path)).status));
    expect(await statuses('/livez', '/readyz', '/healthz', '/version')).toEqual([200, 200, 200, 200]);
    expect(await statuses('/api', '/metrics', '/api/v1/pods', '/livez/ping')).toEqual([403, 403, 403, 403]);
    nobody.close();
  });
});

describe('a user', () => {
  test('may do what is bound to it where it is bound, within a second and until it is not', async () => {
    const pods = '/api/v1/namespaces/default/pods';
    expect(expectRefusal(await joe.get(pods), 403, 'Forbidden').message).toBe(
      'pods is forbidden: User "joe" cannot list resource "pods" in API group "" in the namespace "default"',
    );
    await made(`${NS}/roles`, role('pods', PODS));
    await made(`${NS}/rolebindings`, binding('pods', 'Role/pods', 'joe'));
    await expect.poll(() => mayList(joe, pods), { timeout: 30_000, interval: 10 }).toBe(true);
    expect((await joe.get('/api/v1/pods')).status).toBe(403);
    expect((await joe.get('/api/v1/namespaces/kube-system/pods')).status).toBe(403);
    await admin.delete(`${NS}/roles/pods`);
    await expect.poll(() => mayList(joe, pods), { timeout: 30_000, interval: 10 }).toBe(false);
    expect(expectRefusal(await joe.get(pods), 403, 'Forbidden').message).toContain(
      `RBAC: role.${GROUP} "pods" not found`,
    );
    await admin.delete(`${NS}/rolebindings/pods`);
  });

  test('lists by name what it may list by name alone', async () => {
    await made(`${NS}/roles`, role('one', { ...PODS, resources: ['configmaps'], resourceNames: ['one'] }));
    await made(`${NS}/rolebindings`, binding('one', 'Role/one', 'joe'));
    const maps = '/api/v1/namespaces/default/configmaps';
    await expect.poll(() => mayList(joe, `${maps}?fieldSelector=metadata.name=one`)).toBe(true);
    for (const query of ['', '?fieldSelector=metadata.name=two', '?fieldSelector=metadata.name!=one'])
      expect((await joe.get(`${maps}${query}`)).status).toBe(403);
  });

  test('needs the right to create for what it PUTs or applies where nothing is', async () => {
    const rule = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['update', 'patch', 'get'] };
    await made(`${NS}/roles`, role('leases', rule));
    await made(`${NS}/rolebindings`, binding('leases', 'Role/leases', 'ann'));
    const ann = as('ann');
    await expect.poll(() => may(ann, 'update', 'leases', { group: 'coordination.k8s.io' })).toBe(true);
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/l';
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } };
    const put = expectRefusal(await ann.request('PUT', path, { body: lease }), 403, 'Forbidden');
    expect(put.message).toContain('cannot create resource "leases"');
    const headers = { 'content-type': 'application/apply-patch+yaml' };
    const applied = await ann.request('PATCH', `${path}?fieldManager=m`, { body: lease, headers });
    expect(expectRefusal(applied, 403, 'Forbidden').message).toContain('cannot create resource "leases"');
    ann.close();
  });

  test('asks kubectl what it may do', async () => {
    const kubectl = (token: string, ...args: string[]) => {
      const own = [
        '--kubeconfig=/dev/null',
        '--insecure-skip-tls-verify',
        `--server=${server.url}`,
        `--token=${token}`,
      ];
      try {
        return execFileSync('kubectl', [...own, ...args], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
        }).trim();
      } catch (error) {
        return (error as { stdout: string }).stdout.trim();
      }
    };
    await made(`${NS}/rolebindings`, binding('ann-views', 'ClusterRole/view', 'ann'));
    const ann = as('ann');
    await expect.poll(() => may(ann, 'list', 'pods')).toBe(true);
    expect(kubectl('ann', 'auth', 'can-i', 'list', 'pods')).toBe('yes');
    expect(kubectl('ann', 'auth', 'can-i', 'get', 'pods', '--subresource=log')).toBe('yes');
    expect(kubectl('ann', 'auth', 'can-i', 'get', 'deployments.apps/scale')).toBe('yes');
    expect(kubectl('ann', 'auth', 'can-i', 'list', 'pods', '-A')).toBe('no');
    expect(kubectl('ann', 'auth', 'can-i', 'list', 'pods', '-n', 'kube-system')).toBe('no');
    expect(kubectl('ann', 'auth', 'can-i', 'create', 'pods')).toBe('no');
    expect(kubectl('ann', 'auth', 'can-i', 'get', '/version')).toBe('yes');
    expect(kubectl('ann', 'auth', 'can-i', 'get', '/metrics')).toBe('no');
    expect(kubectl('ann', 'auth', 'can-i', '*', '*')).toBe('no');
    expect(kubectl(server.token, 'auth', 'can-i', '*', '*', '--all-namespaces')).toBe('yes');
    const listed = kubectl('ann', 'auth', 'can-i', '--list');
    expect(listed).toMatch(/deployments\.apps/);
    expect(listed).toContain('[/version]');
    ann.close();
  });
});

describe('a node', () => {
  test('reads what its pods need, while they are on it', async () => {
    const node = as(NODE);
    const secrets = '/api/v1/namespaces/default/secrets';
    for (const name of ['needed', 'other']) {
      await made(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name } });
    }
    const statuses = async (...names: string[]) =>
      Promise.all(names.map(async (name) => (await node.get(`${secrets}/${name}`)).status));
    expect(await statuses('needed', 'other')).toEqual([403, 403]);
    expect(expectRefusal(await node.get(`${secrets}/other`), 403, 'Forbidden').message).toContain(
      "no relationship found between node 'n1' and this object",
    );
    const volumes = [{ name: 'v', secret: { secretName: 'needed' } }];
    const spec = { nodeName: 'n1', containers: [{ name: 'c', image: 'i' }], volumes };
    await made('/api/v1/namespaces/default/pods', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    await expect.poll(() => statuses('needed', 'other')).toEqual([200, 403]);
    expect((await node.get(secrets)).status).toBe(403);
    expect((await node.get('/api/v1/pods')).status, 'as the rules of nodes say').toBe(200);
    const watch = await node.watch(`${secrets}?watch=1&fieldSelector=metadata.name=needed`);
    expect(watch.status).toBe(200);
    await admin.delete('/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0');
    const gone = performance.now();
    await expect.poll(() => statuses('needed')).toEqual([403]);
    expect((await watch.rest()).at(-1)).toMatchObject({ type: 'ERROR', object: { code: 403 } });
    expect(performance.now() - gone, 'the node has time to end it').toBeGreaterThan(NODE_WATCH_GRACE_MS / 2);
    node.close();
  });
});

describe('who writes roles and bindings', () => {
  let eve: Api;
  beforeAll(async () => {
    eve = as('eve');
    await made(`${RBAC}/clusterroles`, clusterRole('writer', MAY_WRITE));
    await made(`${RBAC}/clusterroles`, clusterRole('pods', PODS));
    await made(`${RBAC}/clusterrolebindings`, clusterBinding('writer', 'writer', 'eve'));
    await made(`${NS}/rolebindings`, binding('eve-pods', 'ClusterRole/pods', 'eve'));
    await waitUntil('what is bound holds', 5_000, () => may(eve, 'get', 'pods'));
    await waitUntil('what is bound holds', 5_000, () => may(eve, 'create', 'roles', { group: GROUP }));
  });
  afterAll(() => eve?.close());

  test('gives no more than it has, where it has it', async () => {
    expectStatus(await eve.post(`${NS}/roles`, role('same', PODS)), 201);
    const more = { apiGroups: [''], resources: ['secrets', 'pods'], verbs: ['get', 'delete'] };
    const refused = expectRefusal(await eve.post(`${NS}/roles`, role('more', more)), 403, 'Forbidden');
    expect(refused.message).toBe(
      `roles.${GROUP} "more" is forbidden: user "eve" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n` +
        '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}',
    );
    const elsewhere = await eve.post(`${RBAC}/namespaces/kube-system/roles`, role('same', PODS));
    expectRefusal(elsewhere, 403, 'Forbidden');
    expectRefusal(await eve.post(`${RBAC}/clusterroles`, clusterRole('same', PODS)), 403, 'Forbidden');
    const any = await eve.post(`${NS}/roles`, role('all', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }));
    expectRefusal(any, 403, 'Forbidden');
  });

  test('however it writes them', async () => {
    expectStatus(await eve.post(`${NS}/roles`, role('grows')), 201);
    const path = `${NS}/roles/grows`;
    const rules = [{ ...PODS, verbs: ['delete'] }];
    const patch = (type: string, body: unknown, query = '') =>
      eve.request('PATCH', `${path}${query}`, { body, headers: { 'content-type': `application/${type}` } });
    expectRefusal(await patch('merge-patch+json', { rules }), 403, 'Forbidden');
    expectRefusal(await patch('json-patch+json', [{ op: 'add', path: '/rules', value: rules }]), 403, 'Forbidden');
    expectRefusal(await patch('strategic-merge-patch+json', { rules }), 403, 'Forbidden');
    expectRefusal(
      await patch('apply-patch+yaml', role('grows', ...rules), '?fieldManager=m&force=true'),
      403,
      'Forbidden',
    );
    expectRefusal(await eve.request('PUT', path, { body: role('grows', ...rules) }), 403, 'Forbidden');
    expectRefusal(await eve.request('PUT', `${NS}/roles/new`, { body: role('new', ...rules) }), 403, 'Forbidden');
    expectRefusal(await eve.post(`${NS}/roles?dryRun=All`, role('dry', ...rules)), 403, 'Forbidden');
    const applied = { body: role('new', ...rules), headers: { 'content-type': 'application/apply-patch+yaml' } };
    expectRefusal(await eve.request('PATCH', `${NS}/roles/new?fieldManager=m`, applied), 403, 'Forbidden');
  });

  test('may change what is not about rights in a role that gives more', async () => {
    await made(`${NS}/roles`, role('powerful', { ...PODS, verbs: ['*'] }));
    const patch = (body: unknown) =>
      eve.request('PATCH', `${NS}/roles/powerful`, {
        body,
        headers: { 'content-type': 'application/merge-patch+json' },
      });
    expectRefusal(await patch({ metadata: { labels: { a: 'b' } } }), 403, 'Forbidden');
    expectStatus(await patch({ metadata: { finalizers: ['example.com/x'] } }), 200);
    expectStatus(await patch({ metadata: { finalizers: null } }), 200);
  });

  test('makes no role of others that it could not be', async () => {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const refused = await eve.post(`${RBAC}/clusterroles`, { ...clusterRole('made'), aggregationRule });
    expect(expectRefusal(refused, 403, 'Forbidden').message).toBe(
      `clusterroles.${GROUP} "made" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    );
    await made(`${RBAC}/clusterroles`, { ...clusterRole('was-made'), aggregationRule });
    const taken = { body: { aggregationRule: null }, headers: { 'content-type': 'application/merge-patch+json' } };
    expectRefusal(await eve.request('PATCH', `${RBAC}/clusterroles/was-made`, taken), 403, 'Forbidden');
  });

  test('binds what it has, or may bind, and what is there', async () => {
    expectStatus(await eve.post(`${NS}/rolebindings`, binding('own', 'ClusterRole/pods', 'joe')), 201);
    const admins = await eve.post(`${NS}/rolebindings`, binding('b', 'ClusterRole/cluster-admin', 'eve'));
    expect(expectRefusal(admins, 403, 'Forbidden').message).toContain(
      '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
    );
    expectRefusal(await eve.post(`${RBAC}/clusterrolebindings`, clusterBinding('b', 'pods', 'eve')), 403, 'Forbidden');
    const missing = await eve.post(`${NS}/rolebindings`, binding('b', 'ClusterRole/none', 'eve'));
    expect(expectRefusal(missing, 404, 'NotFound').message).toBe(`clusterroles.${GROUP} "none" not found`);
    const rule = { apiGroups: [GROUP], resources: ['clusterroles'], verbs: ['bind'], resourceNames: ['edit'] };
    await made(`${NS}/roles`, role('binder', rule));
    await made(`${NS}/rolebindings`, binding('binder', 'Role/binder', 'eve'));
    const bound = async () => (await eve.post(`${NS}/rolebindings`, binding('edit', 'ClusterRole/edit', 'joe'))).status;
    await expect.poll(bound).toBe(201);
    const everywhere = await eve.post(`${RBAC}/clusterrolebindings`, clusterBinding('edit', 'edit', 'joe'));
    expectRefusal(everywhere, 403, 'Forbidden');
    expectRefusal(await eve.post(`${NS}/rolebindings`, binding('a', 'ClusterRole/admin', 'joe')), 403, 'Forbidden');
    const changed = { ...binding('own', 'ClusterRole/edit', 'joe') };
    expectRefusal(await eve.request('PUT', `${NS}/rolebindings/own`, { body: changed }), 422, 'Invalid');
  });

  test('writes any rules where it may escalate that role', async () => {
    const rule = { apiGroups: [GROUP], resources: ['roles'], verbs: ['escalate'], resourceNames: ['named'] };
    await made(`${NS}/roles`, role('escalator', rule));
    await made(`${NS}/rolebindings`, binding('escalator', 'Role/escalator', 'eve'));
    await expect.poll(() => may(eve, 'escalate', 'roles', { group: GROUP, name: 'named' })).toBe(true);
    const named = role('named', { ...PODS, verbs: ['delete'] });
    expectRefusal(await eve.post(`${NS}/roles`, named), 403, 'Forbidden');
    await made(`${NS}/roles`, role('named'));
    expectStatus(await eve.request('PUT', `${NS}/roles/named`, { body: named }), 200);
  });

  test('is answered soon, however many combinations a role comes to', async () => {
    const many = (of: string) => Array.from({ length: 300 }, (_, index) => `${of}${index}`);
    const rule = { apiGroups: many('g'), resources: many('r'), verbs: many('v') };
    const begun = performance.now();
    expectRefusal(await eve.post(`${NS}/roles`, role('huge', rule)), 403, 'Forbidden');
    expect(performance.now() - begun).toBeLessThan(20_000);
  });
});
