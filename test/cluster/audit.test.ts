import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Cluster } from '../../tools/up/index.js';
import { findKubectl, KUBECTL_BUILD_MS, Kubectl } from '../clients/kubectl.js';
import { Api } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

const POLICY = fileURLToPath(new URL('../../deploy/audit/policy.yaml', import.meta.url));
const PATH = '/api/v1/namespaces/default/configmaps';
const POLL = { timeout: 20_000, interval: 50 };

interface Event {
  readonly auditID: string;
  readonly stage: string;
  readonly level: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username?: string };
  readonly impersonatedUser?: { readonly username: string; readonly groups: readonly string[] };
  readonly objectRef?: { readonly resource: string; readonly name?: string };
  readonly responseStatus?: { readonly code: number };
  readonly requestObject?: { readonly kind: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

describe('the audit log of two tiers', () => {
  let dir: string;
  let cluster: Cluster;
  let database: pg.Client;
  let kubectl: Kubectl;
  const apis: Api[] = [];

  beforeAll(async () => {
    const file = findKubectl('1.27');
    dir = makeServerFolder('orch-audit-');
    const serverArgs = [
      `--audit-policy-file=${POLICY}`,
      `--audit-log-path=${join(dir, 'audit.log')}`,
      '--audit-postgres',
    ];
    cluster = await startCluster({ dir, serverArgs });
    kubectl = new Kubectl(file, cluster.kubeconfig);
    database = new pg.Client({ connectionString: cluster.postgresUrl, options: '-c search_path=audit' });
    await database.connect();
  }, KUBECTL_BUILD_MS);

  afterAll(async () => {
    for (const api of apis) api.close();
    await database?.end();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  function apiOf(url = '', token = cluster.token): Api {
    const api = new Api({ url, ca: cluster.ca, token });
    apis.push(api);
    return api;
  }

  /** All servers write to one file: each line is whole. */
  const events = (): Event[] =>
    readFileSync(join(dir, 'audit.log'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Event);
  const of = (auditID: string) => events().filter((event) => event.auditID === auditID);
  const stages = (auditID: string) => of(auditID).map(({ stage }) => stage);

  test('tells of a deletion by kubectl --as once, with both users, in the file and in PostgreSQL', async () => {
    await kubectl.ok(['create', 'deployment', 'web', '--image=nginx']);
    await kubectl.ok([
      'delete',
      'deployment',
      'web',
      '--as=bob',
      '--as-group=ops',
      '--as-group=system:masters',
      '--as-uid=u-7',
    ]);
    const isIt = ({ verb, objectRef }: Event) => verb === 'delete' && objectRef?.resource === 'deployments';
    const [event, ...others] = events().filter(isIt);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      level: 'Request',
      stage: 'ResponseComplete',
      user: { username: 'admin' },
      impersonatedUser: { username: 'bob', uid: 'u-7', groups: ['ops', 'system:masters', 'system:authenticated'] },
      objectRef: { name: 'web', namespace: 'default', apiGroup: 'apps', apiVersion: 'v1' },
      responseStatus: { code: 200 },
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    });
    const who = `SELECT username, impersonated, code FROM event
      WHERE verb = 'delete' AND resource = 'deployments' AND namespace = 'default' AND name = 'web'`;
    await expect
      .poll(async () => (await database.query(who)).rows, POLL)
      .toEqual([{ username: 'admin', impersonated: 'bob', code: 200 }]);
  });

  test('tells of those who are not known', async () => {
    for (const url of [...cluster.apiServerUrls, ...cluster.gatewayUrls]) {
      const answer = await apiOf(url, 'of-nobody').get(PATH, { 'audit-id': `nobody-${url}` });
      expect(answer.status).toBe(401);
      expect(answer.headers['audit-id']).toBe(`nobody-${url}`);
      await expect
        .poll(() => of(`nobody-${url}`), POLL)
        .toMatchObject([{ stage: 'ResponseStarted', user: {}, responseStatus: { code: 401 } }]);
    }
  });

  test('tells of a watch once, wherever it comes to and is served', async () => {
    for (const url of [...cluster.apiServerUrls, ...cluster.gatewayUrls, cluster.url]) {
      const id = `watch-${url}`;
      const headers = { 'audit-id': id, 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' };
      const stream = await apiOf(url).watch(`${PATH}?watch=1`, headers);
      expect(stream.status).toBe(200);
      await expect.poll(() => stages(id), POLL).toEqual(['ResponseStarted']);
      stream.close();
      await expect.poll(() => stages(id), POLL).toEqual(['ResponseStarted', 'ResponseComplete']);
      for (const event of of(id)) expect(event).toMatchObject({ impersonatedUser: { username: 'bob' } });
    }
    for (const url of cluster.apiServerUrls) {
      const id = `socket-${url}`;
      const headers = { authorization: `Bearer ${cluster.token}`, 'audit-id': id };
      const socket = new WebSocket(`${url.replace('https', 'wss')}${PATH}?watch=1`, { ca: cluster.ca, headers });
      await once(socket, 'open');
      await expect.poll(() => stages(id), POLL).toEqual(['ResponseStarted']);
      expect(of(id)[0]?.responseStatus?.code).toBe(101);
      socket.close();
      await expect.poll(() => stages(id), POLL).toEqual(['ResponseStarted', 'ResponseComplete']);
    }
    // Nobody has told of one later.
    for (const url of cluster.apiServerUrls) expect(stages(`watch-${url}`)).toHaveLength(2);
  });

  test('holds bodies of what was changed, but of no secret', async () => {
    const api = apiOf(cluster.url);
    const secret = Buffer.from('do-not-tell').toString('base64');
    const post = (path: string, body: object) => api.post(`/api/v1/namespaces/default/${path}`, body);
    await post('secrets', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: secret } });
    await api.patch('/api/v1/namespaces/default/secrets/s', 'merge', { data: { b: secret } });
    await api.get('/api/v1/namespaces/default/secrets');
    await post('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: secret } });
    await post('serviceaccounts/default/token', { spec: { audiences: [secret] } });
    await post('services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'x' },
      spec: { ports: [{ port: 80 }] },
    });
    const isIt = ({ objectRef, verb }: Event) => objectRef?.resource === 'services' && verb === 'create';
    await expect.poll(() => events().filter(isIt), POLL).toMatchObject([{ requestObject: { kind: 'Service' } }]);
    expect(events().filter(({ objectRef }) => objectRef?.resource === 'secrets')).toHaveLength(3);
    const text = readFileSync(join(dir, 'audit.log'), 'utf8');
    expect(text).not.toContain(secret);
    expect(text).not.toContain(cluster.token);
  });

  test('answers the questions of docs/audit.md', async () => {
    const text = readFileSync(fileURLToPath(new URL('../../docs/audit.md', import.meta.url)), 'utf8');
    const queries = [...text.matchAll(/^```sql\n(.*?)^```/gms)].map(([, query = '']) => query);
    expect(queries).toHaveLength(3);
    await kubectl.ok(['create', 'namespace', 'shop']);
    await kubectl.ok(['create', 'deployment', 'web', '--image=nginx', '--namespace=shop']);
    await kubectl.ok(['get', 'secrets', '--as=jane', '--as-group=system:masters']);
    await kubectl.ok(['delete', 'deployment', 'web', '--namespace=shop', '--as=jane', '--as-group=system:masters']);
    const [who = '', what = '', secrets = ''] = queries;
    const asked = async (query: string) => (await database.query(query)).rows;
    await expect.poll(() => asked(who), POLL).toMatchObject([{ username: 'admin', impersonated: 'jane', code: 200 }]);
    expect(await asked(what.replace("'jane'", "'admin'"))).toEqual(
      expect.arrayContaining([expect.objectContaining({ verb: 'delete', what: 'apps/deployments', name: 'web' })]),
    );
    expect(await asked(secrets)).toMatchObject([{ username: 'admin', refused: '0' }]);
  });

  test('counts what it writes', async () => {
    const metrics = (await apiOf(cluster.apiServerUrls[0]).get('/metrics')).text;
    expect(metrics).toMatch(/^apiserver_audit_event_total \d+$/m);
    expect(metrics).toMatch(/^apiserver_audit_level_total\{level="Metadata"\} \d+$/m);
  });
});
