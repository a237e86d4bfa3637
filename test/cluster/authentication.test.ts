import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { ensurePki } from '@orch/authentication';
import { OidcIssuer } from '@orch/authentication/testing';
import { writeKubeconfig } from '@orch/client';
import { answer, ScriptedServer } from '@orch/client/testing';
import { namesOf } from '@orch/machinery';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cluster, freePort, type ManagedProcess, redisServer } from '../../tools/up/index.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

const SELF = '/apis/authentication.k8s.io/v1beta1/selfsubjectreviews';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const SECRET = 'an installation has one secret of this kind';

describe('who asks an api-server or a gateway', () => {
  let dir: string;
  let issuer: OidcIssuer;
  let webhook: ScriptedServer;
  let redis: ManagedProcess;
  /** Client that reads the contents of Redis and monitors its commands. */
  let seen: Redis;
  let cluster: Cluster;
  const known = new Map<string, object>();

  beforeAll(async () => {
    dir = makeServerFolder('orch-authentication-');
    const pki = await ensurePki({ certDir: join(dir, 'issuer'), bindAddress: '127.0.0.1', names: namesOf('orch') });
    issuer = await OidcIssuer.start({ ...pki.serving, ca: pki.ca.cert }, { jane: { groups: ['dev'] } });
    webhook = await ScriptedServer.start();
    webhook.script = ({ body }, response) => {
      const { apiVersion, kind, spec } = JSON.parse(body);
      if (kind === 'SubjectAccessReview')
        return answer(response, 200, { apiVersion, kind, status: { allowed: spec.user === 'trusted' } });
      const user = known.get(spec.token);
      answer(response, 200, { apiVersion, kind, status: user ? { authenticated: true, user } : {} });
    };
    const redisPort = await freePort();
    redis = await redisServer({ dir, port: redisPort, detached: false }).start();
    seen = new Redis({ port: redisPort, host: '127.0.0.1' });
    seen.on('error', () => undefined); // it is stopped
    const [webhookFile, keyFile] = [join(dir, 'webhook'), join(dir, 'redis-key')];
    await writeKubeconfig(webhookFile, webhook.connection);
    writeFileSync(keyFile, SECRET);
    cluster = await startCluster({
      ...{ dir, apiServers: 1, gateways: 1 },
      serverArgs: [
        ...[`--oidc-issuer-url=${issuer.url}`, `--oidc-client-id=${issuer.clientId}`, '--oidc-groups-claim=groups'],
        ...[`--oidc-ca-file=${pki.ca.certFile}`, '--oidc-username-prefix=oidc:', '--runtime-config=api/beta=true'],
        `--authentication-token-webhook-config-file=${webhookFile}`,
        ...['--authorization-mode=Node,RBAC,Webhook', `--authorization-webhook-config-file=${webhookFile}`],
        ...['--api-audiences=api', `--redis-url=redis://127.0.0.1:${redisPort}`, `--redis-key-file=${keyFile}`],
        ...[
          '--requestheader-username-headers=X-Remote-User,X-Else',
          '--requestheader-allowed-names=front-proxy-client',
        ],
      ],
    });
    await as(cluster.token, first(), async (api) => {
      const [group, authority] = ['system:authenticated', 'rbac.authorization.k8s.io'];
      const binding = {
        ...{ apiVersion: `${authority}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'everybody' } },
        roleRef: { apiGroup: authority, kind: 'ClusterRole', name: 'view' },
        subjects: [{ apiGroup: authority, kind: 'Group', name: group }],
      };
      expect((await api.post(`/apis/${authority}/v1/clusterrolebindings`, binding)).status).toBe(201);
    });
  });
  afterAll(async () => {
    await cluster?.stop();
    seen?.disconnect();
    await redis?.stop();
    await webhook?.stop();
    await issuer?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const [first, second] = [() => String(cluster.apiServerUrls[0]), () => String(cluster.gatewayUrls[0])];

  async function as<T>(token: string | undefined, url: string, use: (api: Api) => Promise<T>): Promise<T> {
    const api = new Api({ url, ca: cluster.ca, ...(token !== undefined && { token }) });
    try {
      return await use(api);
    } finally {
      api.close();
    }
  }
  const review = { apiVersion: 'authentication.k8s.io/v1beta1', kind: 'SelfSubjectReview' };
  const self = (token: string, url = first()) => as(token, url, async (api) => (await api.post(SELF, review)).json());
  const statusOf = (token: string | undefined, url: string) =>
    as(token, url, async (api) => (await api.get('/api/v1/namespaces/default/configmaps?limit=1')).status);
  const reviewed = (token: string, audiences?: readonly string[]) =>
    as(cluster.token, first(), async (api) => {
      const spec = { token, ...(audiences && { audiences }) };
      return (await api.post(REVIEWS, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec })).json()
        .status;
    });

  /** With a certificate that these names have, and headers. */
  async function shown(name: 'front-proxy' | 'admin', headers: Record<string, string | string[]>) {
    const [cert, key] = ['crt', 'key'].map((end) => readFileSync(join(dir, 'pki', `${name}.${end}`)));
    const sent = { ...headers, 'content-type': 'application/json' };
    const req = request(`${first()}${SELF}`, {
      method: 'POST',
      ca: cluster.ca,
      cert,
      key,
      agent: false,
      headers: sent,
    });
    req.end(JSON.stringify(review));
    const [res] = (await once(req, 'response')) as [IncomingMessage];
    let text = '';
    for await (const chunk of res.setEncoding('utf8')) text += chunk;
    return { code: res.statusCode, user: JSON.parse(text).status?.userInfo };
  }

  test('an ID token stands for its subject on both tiers, and a watch ends with it', async () => {
    const token = await issuer.idToken('jane');
    await expect.poll(() => statusOf(token, first()), { timeout: 20_000 }).toBe(200);
    await expect.poll(() => statusOf(token, second()), { timeout: 20_000 }).toBe(200);
    expect((await self(token)).status.userInfo).toMatchObject({
      username: 'oidc:jane',
      groups: ['dev', 'system:authenticated'],
    });
    for (const url of [first(), second()]) {
      const short = await issuer.idToken('jane', 4);
      await as(short, url, async (api) => {
        const stream = await api.watch('/api/v1/namespaces/default/configmaps?watch=1');
        expect(stream.status).toBe(200);
        await stream.rest();
      });
      expect(await statusOf(short, url)).toBe(401);
    }
  });

  test('what the webhook that authorizes says both tiers share', async () => {
    known.set('trusted', { username: 'trusted' });
    const connected = async () => ((await seen.client('LIST')) as string).trim().split('\n').length;
    await expect.poll(connected, { timeout: 30_000 }).toBeGreaterThanOrEqual(3);
    const asked = () =>
      webhook.requests
        .map(({ body }) => JSON.parse(body))
        .filter(({ kind, spec }) => kind === 'SubjectAccessReview' && spec.user === 'trusted');
    // Not granted by any role.
    const secrets = (url: string) =>
      as('trusted', url, async (api) => (await api.get('/api/v1/namespaces/default/secrets?limit=1')).status);
    const before = await seen.dbsize();
    expect(await secrets(first())).toBe(200);
    // That of the token as well.
    await expect.poll(() => seen.dbsize(), { timeout: 30_000 }).toBe(before + 2);
    expect(await secrets(second())).toBe(200);
    expect(asked()).toHaveLength(1);
  });

  test('what a webhook says both tiers share, and without Redis each asks', async () => {
    known.set('shared', { username: 'hook', groups: ['a'], extra: { 'k/x': ['v'] } });
    // Until both are connected to it, each asks for itself.
    const connected = async () => ((await seen.client('LIST')) as string).trim().split('\n').length;
    await expect.poll(connected).toBeGreaterThanOrEqual(3);
    const before = await seen.dbsize();
    webhook.requests.length = 0;
    expect((await self('shared')).status.userInfo).toMatchObject({ username: 'hook', extra: { 'k/x': ['v'] } });
    await expect.poll(() => seen.dbsize()).toBe(before + 1);
    expect(await statusOf('shared', second())).toBe(200);
    expect(webhook.requests.filter(({ body }) => JSON.parse(body).kind === 'TokenReview')).toHaveLength(1);
    expect(await statusOf('unknown', second())).toBe(401);
    await redis.stop();
    known.set('alone', { username: 'hook' });
    expect([await statusOf('alone', first()), await statusOf('alone', second())]).toEqual([200, 200]);
  });

  test('a token that nobody knows is refused, and none is anonymous', async () => {
    for (const url of [first(), second()]) {
      expect(await statusOf('nobody', url)).toBe(401);
      expect(await statusOf(undefined, url)).toBe(403);
    }
  });

  test('a review says for which audiences a token is good', async () => {
    const token = await issuer.idToken('jane');
    expect(await reviewed(token)).toMatchObject({
      authenticated: true,
      audiences: ['api'],
      user: { username: 'oidc:jane' },
    });
    expect(await reviewed(token, ['x', 'api'])).toMatchObject({ authenticated: true, audiences: ['api'] });
    expect((await reviewed(token, ['x'])).authenticated).not.toBe(true);
    expect(await reviewed('nobody')).toEqual({ error: 'invalid bearer token', user: {} });
  });

  test('a front proxy is believed as it stands', async () => {
    const plain = { 'X-Remote-User': 'a%41', 'X-Remote-Group': ['x,y', 'z'], 'X-Remote-Extra-Scopes%2Fk': 'v, w' };
    expect((await shown('front-proxy', plain)).user).toMatchObject({
      username: 'a%41',
      groups: ['x,y', 'z', 'system:authenticated'],
      extra: { 'scopes/k': ['v, w'] },
    });
    expect((await shown('front-proxy', { 'x-else': 'other' })).user.username).toBe('other');
    const own = { ...plain, 'X-Remote-Encoding': 'percent', 'X-Remote-Group': 'x%2Cy,z' };
    expect((await shown('front-proxy', own)).user).toMatchObject({
      username: 'aA',
      groups: ['x,y', 'z', 'system:authenticated'],
    });
    expect((await shown('front-proxy', {})).code).toBe(401);
  });

  test('a watch that is handed on keeps its user, whatever is in its name', async () => {
    known.set('odd', { username: 'a%41,b ü', groups: ['x,y', '%2c'] });
    await as('odd', first(), async (api) => {
      const stream = await api.watch('/api/v1/namespaces/default/configmaps?watch=1');
      expect(stream.status).toBe(200);
      stream.close();
    });
  });

  test('attempts are counted', async () => {
    const { text } = await as(cluster.token, first(), (api) => api.get('/metrics'));
    for (const series of [
      'authentication_attempts{result="success"}',
      'authentication_attempts{result="error"}',
      'authenticated_user_requests{username="admin"}',
      'authentication_duration_seconds_count{result="success"}',
      'authentication_token_cache_request_total{status="hit"}',
      'authentication_token_cache_fetch_total{status="ok"}',
    ])
      expect(text).toContain(series);
  });
});
