import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificateRequest } from '@orch/authentication/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const CERTIFICATE_REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const ROLES = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
const NAMESPACES = '/api/v1/namespaces';
const QUOTA = `${NAMESPACES}/fresh/resourcequotas/some`;

/** Requests that are of no use any more are looked for once a minute. */
const LONGEST_MS = 90_000;

const get = async (api: Api, path: string): Promise<ApiObject | undefined> => {
  const { status, text } = await api.get(path);
  return status === 404 ? undefined : (JSON.parse(text) as ApiObject);
};
const conditionsOf = async (api: Api, name: string): Promise<string[]> =>
  ((await get(api, `${CERTIFICATE_REQUESTS}/${name}`))?.status.conditions ?? []).map(
    ({ type }: { type: string }) => type,
  );

/** Checks for the visible effect of each controller that runs within servers. */
const WORK: Readonly<Record<string, (api: Api) => Promise<boolean>>> = {
  'clusterrole-aggregation': async (api) => ((await get(api, `${ROLES}/whole`))?.rules ?? []).length > 0,
  csrapproving: async (api) => (await conditionsOf(api, 'of-a-node')).includes('Approved'),
  csrcleaner: async (api) => (await get(api, `${CERTIFICATE_REQUESTS}/denied`)) === undefined,
  csrsigning: async (api) => (await get(api, `${CERTIFICATE_REQUESTS}/approved`))?.status.certificate !== undefined,
  namespace: async (api) => (await get(api, `${NAMESPACES}/going`)) === undefined,
  resourcequota: async (api) => (await get(api, QUOTA))?.status?.used?.configmaps !== undefined,
  'root-ca-cert-publisher': async (api) =>
    (await get(api, `${NAMESPACES}/fresh/configmaps/kube-root-ca.crt`)) !== undefined,
  serviceaccount: async (api) => (await get(api, `${NAMESPACES}/fresh/serviceaccounts/default`)) !== undefined,
};

/** Options with which each controller runs on one server and is off on the other. */
const HALVES = [
  ['clusterrole-aggregation', 'csrapproving', 'namespace', 'root-ca-cert-publisher'],
  ['csrcleaner', 'csrsigning', 'resourcequota', 'serviceaccount'],
] as const;

describe('loops that are switched off', () => {
  let dir: string;
  const servers: Standalone[] = [];
  const apis: Api[] = [];
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orch-controllers-'));
    const rootCa = join(dir, 'root-ca.crt');
    writeFileSync(rootCa, 'a certificate');
    for (const names of HALVES) {
      const args = [`--controllers=${names.join(',')}`, `--root-ca-file=${rootCa}`];
      const server = await startStandalone({ args });
      servers.push(server);
      apis.push(new Api(server));
    }
    await Promise.all(apis.map(furnish));
  });
  afterAll(async () => {
    for (const api of apis) api.close();
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(dir, { recursive: true, force: true });
  });

  test('do nothing, and those that are on do their work', async () => {
    for (const [at, names] of HALVES.entries()) {
      for (const name of names) {
        const done = () => WORK[name]?.(apis[at] as Api);
        await expect.poll(done, { timeout: LONGEST_MS, message: `${name} where it runs` }).toBe(true);
      }
    }
    for (const [at, names] of HALVES.entries())
      for (const name of names) expect(await WORK[name]?.(apis[1 - at] as Api), `${name} where it is off`).toBe(false);
  });

  test('leave what they would have dealt with as it is', async () => {
    const [aggregating, counting] = apis as [Api, Api];
    expect(await conditionsOf(aggregating, 'approved')).toEqual(['Approved']);
    expect(await conditionsOf(aggregating, 'denied')).toEqual(['Denied']);
    expect(await conditionsOf(counting, 'of-a-node')).toEqual([]);
    expect((await get(counting, `${NAMESPACES}/going`))?.status.phase).toBe('Terminating');
    expect(await get(counting, `${NAMESPACES}/going/configmaps/kept`)).toBeDefined();
  });
});

const ACCOUNT = 'system:serviceaccount:kube-system:namespace-controller';
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
const BINDING = 'system:controller:namespace-controller';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-controller-manager';

describe('a controller within the server', () => {
  let dir: string;
  let server: Standalone;
  let api: Api;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'orch-controllers-'));
    const policy = { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata', users: [ACCOUNT] }] };
    writeFileSync(join(dir, 'policy.yaml'), JSON.stringify(policy));
    writeFileSync(join(dir, 'root-ca.crt'), 'a certificate');
    const args = [
      '--authorization-mode=Node,RBAC',
      '--yielding-controllers=serviceaccount',
      `--root-ca-file=${join(dir, 'root-ca.crt')}`,
      `--audit-policy-file=${join(dir, 'policy.yaml')}`,
      `--audit-log-path=${join(dir, 'audit.log')}`,
    ];
    server = await startStandalone({ args });
    api = new Api(server);
  });
  afterAll(async () => {
    api.close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const remove = async (name: string) => {
    expect((await api.post(NAMESPACES, { metadata: { name } })).status).toBe(201);
    expect((await api.post(`${NAMESPACES}/${name}/configmaps`, { metadata: { name: 'a' } })).status).toBe(201);
    expect((await api.delete(`${NAMESPACES}/${name}`)).status).toBe(200);
  };
  const isGone = async (name: string) => (await get(api, `${NAMESPACES}/${name}`)) === undefined;
  interface Recorded {
    readonly verb: string;
    readonly requestURI: string;
    readonly user: { readonly username: string };
    readonly stage: string;
    readonly responseStatus?: { readonly code: number };
  }
  const recorded = (): Recorded[] =>
    readFileSync(join(dir, 'audit.log'), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Recorded)
      .filter(({ stage }) => stage === 'ResponseComplete');

  test('is in the audit log with its service account', async () => {
    await remove('recorded');
    await expect.poll(() => isGone('recorded'), { timeout: LONGEST_MS }).toBe(true);
    const done = () => recorded().map(({ verb, requestURI, user }) => `${user.username} ${verb} ${requestURI}`);
    await expect.poll(done).toContain(`${ACCOUNT} update ${NAMESPACES}/recorded/finalize`);
    expect(done()).toContain(`${ACCOUNT} deletecollection ${NAMESPACES}/recorded/configmaps`);
  });

  test('may do what the bindings of its account allow, and goes on where these come back', async () => {
    const binding = await get(api, `${BINDINGS}/${BINDING}`);
    expect((await api.delete(`${BINDINGS}/${BINDING}`)).status).toBe(200);
    await remove('kept');
    const refusals = () =>
      recorded().filter(
        ({ requestURI, responseStatus: answer }) => requestURI.includes('/kept/') && answer?.code === 403,
      );
    await expect.poll(() => refusals().length, { timeout: LONGEST_MS }).toBeGreaterThan(0);
    expect(await get(api, `${NAMESPACES}/kept/configmaps/a`)).toBeDefined();
    expect((await get(api, `${NAMESPACES}/kept`))?.status.phase).toBe('Terminating');
    const again = { metadata: { name: BINDING }, roleRef: binding?.roleRef, subjects: binding?.subjects };
    expect((await api.post(BINDINGS, again)).status).toBe(201);
    await expect.poll(() => isGone('kept'), { timeout: LONGEST_MS }).toBe(true);
  });

  test('rests while a controller manager holds its lease, and does what is left once that has given it back', async () => {
    const added = async () => {
      const { text } = await api.get('/metrics');
      return /^workqueue_adds_total\{name="serviceaccount"\} (\d+)/m.exec(text)?.[1];
    };
    const holder = async (holderIdentity: string) => {
      const spec = { holderIdentity, leaseDurationSeconds: 3_600, renewTime: '2026-01-01T00:00:00.000000Z' };
      const metadata = { name: 'kube-controller-manager' };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
      const { status, text } = await api.apply(LEASE, 'test', lease);
      expect([200, 201], text).toContain(status);
    };
    const has = async (what: string) => (await get(api, `${NAMESPACES}/resting/${what}`)) !== undefined;
    await holder('a-manager');
    const before = await added();
    expect((await api.post(NAMESPACES, { metadata: { name: 'resting' } })).status).toBe(201);
    await expect.poll(() => has('configmaps/kube-root-ca.crt')).toBe(true);
    expect([await has('serviceaccounts/default'), await added()]).toEqual([false, before]);
    await holder('');
    await expect.poll(() => has('serviceaccounts/default')).toBe(true);
  });

  test('is counted as client-go counts', async () => {
    const { text } = await api.get('/metrics');
    expect(text).toMatch(/^workqueue_adds_total\{name="namespace"\} [1-9]/m);
    expect(text).toMatch(/^workqueue_retries_total\{name="namespace"\} [1-9]/m);
    expect(text).toContain('workqueue_depth{name="namespace"} 0');
    expect(text).toContain('leader_election_master_status{name="controllers"} 1');
  });
});

/** Makes what each of the loops has work with. */
async function furnish(api: Api): Promise<void> {
  const make = async (path: string, object: object) => {
    const { status, text } = await api.post(path, object);
    expect(status, text).toBe(201);
  };
  for (const name of ['fresh', 'going']) await make(NAMESPACES, { metadata: { name } });
  await make(`${NAMESPACES}/going/configmaps`, { metadata: { name: 'kept' } });
  expect((await api.delete(`${NAMESPACES}/going`)).status).toBe(200);
  await make(`${NAMESPACES}/fresh/resourcequotas`, { metadata: { name: 'some' }, spec: { hard: { configmaps: '5' } } });
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
  await make(ROLES, { metadata: { name: 'part', labels: { part: 'yes' } }, rules });
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] };
  await make(ROLES, { metadata: { name: 'whole' }, aggregationRule });
  await ask(api, 'of-a-node', 'kubernetes.io/kube-apiserver-client-kubelet', {
    subject: { commonName: 'system:node:a', organizations: ['system:nodes'] },
    usages: ['digital signature', 'client auth'],
  });
  for (const [name, type, more] of [
    ['approved', 'Approved', {}],
    ['denied', 'Denied', { lastUpdateTime: '2020-01-01T00:00:00Z' }],
  ] as const) {
    await ask(api, name, 'kubernetes.io/kube-apiserver-client');
    const status = { conditions: [{ type, status: 'True', reason: 'Seen', ...more }] };
    expect((await api.patch(`${CERTIFICATE_REQUESTS}/${name}/approval`, 'merge', { status })).status).toBe(200);
  }
}

interface Asked {
  readonly subject?: { readonly commonName: string; readonly organizations?: string[] };
  readonly usages?: readonly string[];
}

async function ask(
  api: Api,
  name: string,
  signerName: string,
  { subject = { commonName: 'jane' }, usages = ['client auth'] }: Asked = {},
): Promise<void> {
  const { request } = await makeCertificateRequest(subject);
  const spec = { request: Buffer.from(request).toString('base64'), signerName, usages };
  const { status, text } = await api.post(CERTIFICATE_REQUESTS, { metadata: { name }, spec });
  expect(status, text).toBe(201);
}
