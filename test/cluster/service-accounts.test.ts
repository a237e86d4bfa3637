import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, waitUntil } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

/** A right that is gone is gone everywhere within so long. */
const GONE_WITHIN_MS = 1_000;
const CORE = '/api/v1/namespaces/default';
const SECRETS = '/api/v1/namespaces/kube-system/secrets';

let dir: string;
let cluster: Cluster;
let admin: Api;
const opened: Api[] = [];

beforeAll(async () => {
  dir = makeServerFolder('orch-service-accounts-');
  cluster = await startCluster({ dir, serverArgs: ['--enable-bootstrap-token-auth'] });
  admin = new Api(cluster);
  // Who holds these tokens is to be let in, whatever rights are asked for.
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = ['system:serviceaccounts', 'system:bootstrappers'].map((name) => ({
    apiGroup,
    kind: 'Group',
    name,
  }));
  await make(`/apis/${apiGroup}/v1/clusterrolebindings`, {
    ...{ apiVersion: `${apiGroup}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'holders' }, subjects },
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'cluster-admin' },
  });
  await account('first');
  const first = servers(await tokenOf('first'));
  await waitUntil('rights hold', 10_000, async () => (await statuses(first)).every((status) => status === 200));
});

afterAll(async () => {
  for (const api of [admin, ...opened]) api?.close();
  await cluster?.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** Creates a client for each server of both tiers, with a token. */
function servers(token?: string): Api[] {
  const urls = [...cluster.apiServerUrls, ...cluster.gatewayUrls];
  const apis = urls.map((url) => new Api({ url, ca: cluster.ca, ...(token !== undefined && { token }) }));
  opened.push(...apis);
  return apis;
}

async function make(path: string, object: object): Promise<void> {
  const made = await admin.post(path, object);
  expect(made.status, made.text).toBe(201);
}

const account = (name: string) =>
  make(`${CORE}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });

async function tokenOf(name: string, spec: object = {}): Promise<string> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const answer = await admin.post(`${CORE}/serviceaccounts/${name}/token`, request);
  expect(answer.status, answer.text).toBe(201);
  return answer.json().status.token;
}

const statuses = (apis: readonly Api[]) =>
  Promise.all(apis.map(async (api) => (await api.get(`${CORE}/configmaps?limit=1`)).status));

/** Watches on every server and through the load balancer that end with ERROR 401, and requests that are refused, soon after. */
async function expectGone(token: string, end: () => Promise<void>): Promise<void> {
  const apis = servers(token);
  expect(new Set(await statuses(apis))).toEqual(new Set([200]));
  const watches = await Promise.all(apis.map((api) => api.watch(`${CORE}/configmaps?watch=1`)));
  const ofOthers = await admin.watch(`${CORE}/configmaps?watch=1`);
  for (const { status } of watches) expect(status).toBe(200);
  await end();
  const from = Date.now();
  const lasts = await Promise.all(watches.map(async (watch) => (await watch.rest()).at(-1)));
  const refused = async () => (await statuses(apis)).every((status) => status === 401);
  await waitUntil('the token is refused everywhere', GONE_WITHIN_MS, refused);
  expect(Date.now() - from).toBeLessThan(GONE_WITHIN_MS);
  for (const last of lasts) {
    expect(last?.type).toBe('ERROR');
    expect(last?.object).toMatchObject({ kind: 'Status', code: 401, reason: 'Unauthorized' });
  }
  expect(ofOthers.ended, 'nobody else notices').toBe(false);
  ofOthers.close();
}

test('a token is good on every server of both tiers, and ends with its account', async () => {
  await account('gone');
  const token = await tokenOf('gone');
  await expectGone(token, async () => {
    expect((await admin.delete(`${CORE}/serviceaccounts/gone`)).status).toBe(200);
  });
});

test('one that is bound to a pod ends with the pod', async () => {
  await account('runner');
  const spec = { serviceAccountName: 'runner', containers: [{ name: 'c', image: 'i' }] };
  await make(`${CORE}/pods`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec });
  const boundObjectRef = { apiVersion: 'v1', kind: 'Pod', name: 'web' };
  const token = await tokenOf('runner', { boundObjectRef });
  const plain = await tokenOf('runner');
  await expectGone(token, async () => {
    expect((await admin.delete(`${CORE}/pods/web?gracePeriodSeconds=0`)).status).toBe(200);
  });
  expect(new Set(await statuses(servers(plain))), 'of the same account').toEqual(new Set([200]));
});

test('one that is bound to a Secret ends with the Secret, also while NATS is away', async () => {
  await account('holder');
  await make(`${CORE}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'held' } });
  const token = await tokenOf('holder', { boundObjectRef: { apiVersion: 'v1', kind: 'Secret', name: 'held' } });
  const apis = servers(token);
  expect(new Set(await statuses(apis))).toEqual(new Set([200]));
  await cluster.nats.kill('SIGKILL');
  expect((await admin.delete(`${CORE}/secrets/held`)).status).toBe(200);
  const refused = async () => (await statuses(apis)).every((status) => status === 401);
  await waitUntil('the token is refused everywhere', 3 * GONE_WITHIN_MS, refused);
  await cluster.nats.start();
});

test('whom a token of other audiences is shown asks for whom it stands, anywhere', async () => {
  await account('visitor');
  const token = await tokenOf('visitor', { audiences: ['vault', 'store'] });
  expect(new Set(await statuses(servers(token))), 'not for this API').toEqual(new Set([401]));
  const review = async (api: Api, audiences?: readonly string[]) => {
    const spec = { token, ...(audiences && { audiences }) };
    const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec };
    return (await api.post('/apis/authentication.k8s.io/v1/tokenreviews', asked)).json().status;
  };
  for (const api of servers(cluster.token)) {
    expect(await review(api, ['other', 'vault'])).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:default:visitor' },
      audiences: ['vault'],
    });
    for (const audiences of [undefined, ['other']]) {
      const status = await review(api, audiences);
      expect(status.authenticated).toBeUndefined();
      expect(status.error).toContain('token audiences ["vault" "store"] is invalid for the target audiences');
    }
  }
});

test('a bootstrap token is good while its Secret says so', async () => {
  const token = 'abc123.0123456789abcdef';
  expect(new Set(await statuses(servers(token)))).toEqual(new Set([401]));
  await make(SECRETS, {
    ...{ apiVersion: 'v1', kind: 'Secret', type: 'bootstrap.kubernetes.io/token' },
    metadata: { name: 'bootstrap-token-abc123' },
    stringData: {
      'token-id': 'abc123',
      'token-secret': '0123456789abcdef',
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:test',
    },
  });
  const good = async () => (await statuses(servers(token))).every((status) => status === 200);
  await waitUntil('the token is known everywhere', GONE_WITHIN_MS, good);
  await expectGone(token, async () => {
    expect((await admin.delete(`${SECRETS}/bootstrap-token-abc123`)).status).toBe(200);
  });
});

test('every server tells the same keys of the issuer', async () => {
  const documents = await Promise.all(servers(cluster.token).map((api) => api.get('/openid/v1/jwks')));
  for (const { status, headers } of documents) {
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/jwk-set+json');
    expect(headers['cache-control']).toBe('public, max-age=3600');
  }
  expect(new Set(documents.map(({ text }) => text)).size).toBe(1);
  const [first] = servers(cluster.token);
  const discovery = await first?.get('/.well-known/openid-configuration');
  expect(discovery?.headers['content-type']).toBe('application/json');
  expect(discovery?.json()).toEqual({
    issuer: 'https://kubernetes.default.svc.cluster.local',
    jwks_uri: `${cluster.apiServerUrls[0]}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  });
  expect((await first?.post('/openid/v1/jwks', {}))?.status).toBe(405);
});
