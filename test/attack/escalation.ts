import { makeCertificateRequest } from '@orch/authentication/testing';
import { describe, expect, test } from 'vitest';
import type { Api } from '../support/api.js';
import { type AttackStage, CORE, expectRefused, RBAC, RBAC_GROUP } from './stage.js';

const ROLES = `${RBAC}/namespaces/default/roles`;
const BINDINGS = `${RBAC}/namespaces/default/rolebindings`;
const apiVersion = `${RBAC_GROUP}/v1`;
const SECRETS_RULE = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] };
const HELD_RULE = { apiGroups: [''], resources: ['services'], verbs: ['get'] };

const role = (name: string, ...rules: object[]) => ({ apiVersion, kind: 'Role', metadata: { name }, rules });
const binding = (name: string, kind: string, to: string) => ({
  ...{ apiVersion, kind: 'RoleBinding', metadata: { name } },
  roleRef: { apiGroup: RBAC_GROUP, kind, name: to },
  subjects: [{ apiGroup: RBAC_GROUP, kind: 'User', name: 'grantor' }],
});

/** Role escalation, bind and aggregation tricks (issue 14, 3 and "It must show"). */
export function escalationAttacks(stage: AttackStage): void {
  const grantors = () => stage.as('grantor');

  describe('nobody gives what it has not [Authorization, RBAC]', () => {
    test('in a role of its own making, however it is written', async () => {
      for (const [at, api] of grantors().entries()) {
        const name = `mine-${at}`;
        const more = role(name, HELD_RULE, SECRETS_RULE);
        const refused = (answer: Awaited<ReturnType<Api['get']>>, what: string) => expectRefused(answer, what, [403]);
        refused(await api.post(ROLES, more), 'POST');
        refused(await api.post(`${ROLES}?dryRun=All`, more), 'dry run');
        refused(await api.put(`${ROLES}/${name}`, more), 'PUT that creates');
        refused(await api.apply(`${ROLES}/${name}`, 'me', more, '&force=true'), 'apply that creates');
        expect((await stage.admin.get(`${ROLES}/${name}`)).status).toBe(404);
        expect((await api.post(ROLES, role(name, HELD_RULE))).status).toBe(201);
        refused(await api.put(`${ROLES}/${name}`, more), 'PUT');
        refused(await api.apply(`${ROLES}/${name}`, 'me', more, '&force=true'), 'apply');
        refused(await api.patch(`${ROLES}/${name}`, 'merge', { rules: [SECRETS_RULE] }), 'merge patch');
        refused(
          await api.patch(`${ROLES}/${name}`, 'strategic-merge', { rules: [SECRETS_RULE] }),
          'strategic merge patch',
        );
        const add = [{ op: 'add', path: '/rules/-', value: SECRETS_RULE }];
        refused(await api.patch(`${ROLES}/${name}`, 'json', add), 'JSON patch');
        refused(
          await api.patch(`${ROLES}/${name}`, 'json', [{ op: 'replace', path: '/rules/0/resources/0', value: '*' }]),
          '*',
        );
        const owners = { metadata: { ownerReferences: [], finalizers: ['x.io/y'] }, rules: [SECRETS_RULE] };
        refused(await api.patch(`${ROLES}/${name}`, 'merge', owners), 'behind finalizers and owners');
        expect((await stage.admin.get(`${ROLES}/${name}`)).json().rules).toEqual([HELD_RULE]);
      }
    });

    test.each([
      ['every resource', { apiGroups: [''], resources: ['*'], verbs: ['get'] }],
      ['every verb', { ...HELD_RULE, verbs: ['*'] }],
      ['every group', { ...HELD_RULE, apiGroups: ['*'] }],
      ['a subresource', { ...HELD_RULE, resources: ['services/status'] }],
      ['each subresource', { ...HELD_RULE, resources: ['*/status'] }],
      ['one name of what it may not see', { ...SECRETS_RULE, resourceNames: ['crown'] }],
      ['escalate', { apiGroups: [RBAC_GROUP], resources: ['roles'], verbs: ['escalate'] }],
      [
        'bind',
        { apiGroups: [RBAC_GROUP], resources: ['clusterroles'], verbs: ['bind'], resourceNames: ['cluster-admin'] },
      ],
      ['impersonate', { apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }],
      ['the tokens of accounts', { apiGroups: [''], resources: ['serviceaccounts/token'], verbs: ['create'] }],
    ])('%s', async (_what, rule) => {
      for (const api of grantors())
        expectRefused(await api.post(ROLES, role('more', rule)), JSON.stringify(rule), [403]);
    });

    test('by a binding to a role of others', async () => {
      await stage.make(ROLES, role('of-others', SECRETS_RULE));
      await stage.make(BINDINGS, { ...binding('of-admin', 'Role', 'of-others'), subjects: [] });
      for (const api of grantors()) {
        expectRefused(await api.post(BINDINGS, binding('b', 'ClusterRole', 'cluster-admin')), 'cluster-admin', [403]);
        expectRefused(await api.post(BINDINGS, binding('b', 'ClusterRole', 'view')), 'view', [403]);
        expectRefused(await api.post(BINDINGS, binding('b', 'Role', 'of-others')), 'of others', [403]);
        expectRefused(
          await api.put(`${BINDINGS}/b`, binding('b', 'Role', 'of-others')),
          'PUT that creates',
          [403, 404],
        );
        expectRefused(
          await api.apply(`${BINDINGS}/b`, 'me', binding('b', 'Role', 'of-others')),
          'apply that creates',
          [403],
        );
        // One that is not there yet, to be filled later.
        expectRefused(await api.post(BINDINGS, binding('b', 'Role', 'of-tomorrow')), 'of tomorrow', [403, 404]);
        const { subjects } = binding('', '', '');
        expectRefused(await api.patch(`${BINDINGS}/of-admin`, 'merge', { subjects }), 'subjects', [403]);
        const own = binding('grantor', 'Role', 'of-others');
        expectRefused(await api.put(`${BINDINGS}/grantor`, own), 'another role', [403, 422]);
        const odd = binding('b', 'role', 'of-others');
        expectRefused(await api.post(BINDINGS, odd), 'a kind in another case', [403, 404, 422]);
        const everywhere = { ...binding('b', 'ClusterRole', 'cluster-admin'), kind: 'ClusterRoleBinding' };
        expectRefused(await api.post(`${RBAC}/clusterrolebindings`, everywhere), 'everywhere', [403]);
      }
      expect((await stage.admin.get(`${BINDINGS}/b`)).status).toBe(404);
    });

    test('by a ClusterRole that is made of others, or that others are made of', async () => {
      const edit = { apiGroups: [RBAC_GROUP], resources: ['clusterroles'], verbs: ['*'] };
      // `*` has escalate and bind in it; all that is asked for here is without these.
      const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete'];
      const clusterRole = (name: string, more: object) => ({
        apiVersion,
        kind: 'ClusterRole',
        metadata: { name },
        ...more,
      });
      const writers = clusterRole('writers', { rules: [{ ...edit, verbs }] });
      await stage.make(`${RBAC}/clusterroles`, writers);
      await stage.make(`${RBAC}/clusterroles`, clusterRole('dangerous', { rules: [SECRETS_RULE] }));
      await stage.make(`${RBAC}/clusterrolebindings`, {
        ...{ apiVersion, kind: 'ClusterRoleBinding', metadata: { name: 'writers' } },
        roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'writers' },
        subjects: [{ apiGroup: RBAC_GROUP, kind: 'User', name: 'eve' }],
      });
      const label = `${RBAC_GROUP}/aggregate-to-view`;
      const clusterRoles = `${RBAC}/clusterroles`;
      for (const api of stage.as('eve')) {
        const may = async () => (await api.get(`${clusterRoles}/dangerous`)).status;
        await expect.poll(may, { timeout: 30_000 }).toBe(200);
        const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { [label]: 'true' } }] };
        expectRefused(
          await api.post(clusterRoles, clusterRole('all', { aggregationRule, rules: [] })),
          'aggregates',
          [403],
        );
        const empty = { clusterRoleSelectors: [{}] };
        expectRefused(await api.post(clusterRoles, clusterRole('all', { aggregationRule: empty })), 'all', [403]);
        const metadata = { labels: { [label]: 'true' } };
        expectRefused(await api.patch(`${clusterRoles}/dangerous`, 'merge', { metadata }), 'a label', [403]);
        const named = { metadata: { name: 'more', labels: metadata.labels }, rules: [SECRETS_RULE] };
        expectRefused(await api.post(clusterRoles, clusterRole('more', named)), 'a role that others take up', [403]);
        expectRefused(await api.patch(`${clusterRoles}/writers`, 'merge', { rules: [edit] }), 'its own', [403]);
        expectRefused(
          await api.patch(`${clusterRoles}/view`, 'merge', { aggregationRule: null, rules: [SECRETS_RULE] }),
          'view',
          [403],
        );
      }
    });
  });

  describe('nobody becomes another', () => {
    test('by a token, a certificate or a review that it asks for', async () => {
      const group = 'authentication.k8s.io';
      const certificates = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
      const request = await makeRequest();
      for (const user of ['grantor', 'mallory', 'editor'] as const) {
        for (const api of stage.as(user)) {
          const asked = { apiVersion: `${group}/v1`, kind: 'TokenRequest', spec: {} };
          expectRefused(await api.post(`${CORE}/serviceaccounts/default/token`, asked), 'token', [403]);
          const review = { apiVersion: `${group}/v1`, kind: 'TokenReview', spec: { token: 'x' } };
          expectRefused(await api.post(`/apis/${group}/v1/tokenreviews`, review), 'review', [403]);
          const access = {
            user: 'admin',
            groups: ['system:masters'],
            resourceAttributes: { verb: 'get', resource: 'secrets' },
          };
          const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: access };
          expectRefused(await api.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', body), 'access', [403]);
          expectRefused(await api.post(certificates, request), 'certificate', [403]);
        }
      }
    });

    test('by having a certificate for system:masters approved', async () => {
      const certificates = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
      const request = await makeRequest();
      for (const api of stage.clients({ token: stage.cluster.token })) {
        const { status, text } = await api.post(certificates, request);
        expect(status, text).toBe(403);
        expect(text).toContain('system:masters');
      }
    });

    /** For the highest group that there is. */
    async function makeRequest(): Promise<object> {
      const { request } = await makeCertificateRequest({ commonName: 'mallory', organizations: ['system:masters'] });
      const spec = {
        request: Buffer.from(request).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      };
      const kind = 'CertificateSigningRequest';
      return { apiVersion: 'certificates.k8s.io/v1', kind, metadata: { name: 'up' }, spec };
    }
  });

  describe('a node has no more than its pods need [Authorization, Node]', () => {
    test('on either tier', async () => {
      const subject = '/O=system:nodes/CN=system:node:n1';
      const node = stage.openssl.leaf('node', stage.authority('ca'), { subject, usage: 'clientAuth' });
      const token = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
      const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n2';
      for (const api of stage.clients({ certificate: node })) {
        expect(await stage.whoIs(api)).toMatchObject({ name: 'system:node:n1' });
        for (const path of [
          `${CORE}/secrets/crown`,
          `${CORE}/secrets`,
          `${CORE}/secrets?fieldSelector=metadata.name=crown`,
          `${CORE}/secrets?watch=1&fieldSelector=metadata.name=crown`,
          `${CORE}/configmaps/crown`,
          `${CORE}/configmaps?watch=1`,
          lease,
        ])
          expectRefused(await api.get(path), path, [403]);
        expectRefused(await api.post(`${CORE}/serviceaccounts/default/token`, token), 'token', [403]);
        expectRefused(await api.put(lease, { metadata: { name: 'n2' } }), 'lease', [403]);
      }
    });
  });
}
