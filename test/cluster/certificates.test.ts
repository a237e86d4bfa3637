import { rmSync } from 'node:fs';
import { makeCertificateRequest } from '@orch/authentication/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../tools/up/index.js';
import { Api, type ApiObject } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { makeServerFolder } from '../support/run-folder.js';

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

/** In which another server signs when the one that did is gone: the lease of ten seconds, and a look for it. */
const TAKEN_OVER_MS = 20_000;

describe('a certificate that was asked for', () => {
  let dir: string;
  let cluster: Cluster;
  let api: Api;

  beforeAll(async () => {
    dir = makeServerFolder('orch-certificates-');
    cluster = await startCluster({ dir });
    api = new Api(cluster);
    const group = 'rbac.authorization.k8s.io';
    const subjects = [{ kind: 'Group', apiGroup: group, name: 'dev' }];
    const roleRef = { apiGroup: group, kind: 'ClusterRole', name: 'view' };
    const binding = { metadata: { name: 'dev' }, subjects, roleRef };
    expect((await api.post(`/apis/${group}/v1/clusterrolebindings`, binding)).status).toBe(201);
  });

  afterAll(async () => {
    api?.close();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  async function certificateFor(name: string): Promise<{ cert: string; key: string }> {
    const { request, key } = await makeCertificateRequest({ commonName: name, organizations: ['dev'] });
    const spec = {
      request: Buffer.from(request).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth'],
    };
    expect((await api.post(PATH, { metadata: { name }, spec })).status).toBe(201);
    const status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Seen' }] };
    expect((await api.patch(`${PATH}/${name}/approval`, 'merge', { status })).status).toBe(200);
    const certificate = async () => (await api.get(`${PATH}/${name}`)).json<ApiObject>().status.certificate;
    await expect.poll(certificate, { timeout: TAKEN_OVER_MS }).toBeTypeOf('string');
    return { key, cert: Buffer.from(await certificate(), 'base64').toString() };
  }

  test('is believed by every server of both tiers, whichever has signed it', async () => {
    const certificate = await certificateFor('jane');
    for (const url of [...cluster.apiServerUrls, ...cluster.gatewayUrls]) {
      const own = new Api({ url, ca: cluster.ca, certificate });
      await expect.poll(async () => (await own.get('/api/v1/namespaces')).status).toBe(200);
      const stream = await own.watch('/api/v1/namespaces?watch=1');
      expect((await stream.until(({ object }) => object.metadata.name === 'default')).length, url).toBeGreaterThan(0);
      stream.close();
      own.close();
    }
  });

  test('is made though one of the servers that make them is gone', async () => {
    const [first] = cluster.apiServers;
    await certificateFor('before');
    await first?.kill('SIGKILL');
    const [, url = ''] = cluster.apiServerUrls;
    api.close();
    api = new Api({ url, ca: cluster.ca, token: cluster.token });
    expect((await certificateFor('after')).cert).toContain('BEGIN CERTIFICATE');
  });
});
