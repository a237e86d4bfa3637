import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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

/** What is to be seen of the work of each loop that runs within servers. */
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

/** So that each loop runs on one server, and is off on the other. */
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
