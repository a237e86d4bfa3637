import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Cluster } from '../../tools/up/index.js';
import { Api, type ApiObject } from '../support/api.js';
import { startCluster } from '../support/cluster.js';
import { type ExtensionServer, startExtensionServer } from '../support/extension-server.js';
import { makeServerFolder } from '../support/run-folder.js';

const POLL = { timeout: 20_000, interval: 20 };
const REGISTRATIONS = '/apis/apiregistration.k8s.io/v1/apiservices';
const GROUP_VERSION = '/apis/example.com/v1';
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList';

describe('a group-version that another server answers for, behind two tiers', () => {
  let dir: string;
  let cluster: Cluster;
  let extension: ExtensionServer;
  const servers = new Map<string, Api>();

  beforeAll(async () => {
    dir = makeServerFolder('orch-aggregation-');
    cluster = await startCluster({ dir });
    for (const url of [...cluster.apiServerUrls, ...cluster.gatewayUrls])
      servers.set(url, new Api({ url, ca: cluster.ca, token: cluster.token }));
    extension = await startExtensionServer('things', 'default', (req, res) => {
      const { pathname, searchParams } = new URL(req.url ?? '/', 'https://x');
      res.writeHead(pathname.startsWith(GROUP_VERSION) ? 200 : 404, { 'content-type': 'application/json' });
      if (searchParams.get('watch') === '1') res.write('{"type":"ADDED","object":{"n":1}}\n');
      else res.end(JSON.stringify({ kind: 'APIResourceList', groupVersion: 'example.com/v1', resources: [] }));
    });
    const [api] = servers.values();
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'things' } };
    const spec = {
      group: 'example.com',
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 10,
      caBundle: extension.caBundle,
      service: { namespace: 'default', name: 'things', port: extension.port },
    };
    await api?.post('/api/v1/namespaces/default/services', {
      ...service,
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    const metadata = { name: 'v1.example.com' };
    await api?.post(REGISTRATIONS, { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata, spec });
  });

  afterAll(async () => {
    for (const api of servers.values()) api.close();
    await extension?.stop();
    await cluster?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test('is there for whoever asks any of the servers, watches too', async () => {
    expect(servers.size).toBe(4);
    for (const api of servers.values()) {
      await expect.poll(async () => (await api.get(`${GROUP_VERSION}/things`)).status, POLL).toBe(200);
      const stream = await api.watch(`${GROUP_VERSION}/things?watch=1`);
      expect(await stream.next()).toMatchObject({ type: 'ADDED', object: { n: 1 } });
      stream.close();
      const freshness = async () => {
        const { items } = (await api.get('/apis', { accept: AGGREGATED })).json();
        return items.find(({ metadata }: ApiObject) => metadata.name === 'example.com')?.versions[0].freshness;
      };
      await expect.poll(freshness, POLL).toBe('Current');
    }
  });

  test('has one server tell of it what all know', async () => {
    for (const api of servers.values()) {
      const { conditions } = (await api.get(`${REGISTRATIONS}/v1.example.com`)).json().status;
      expect(conditions).toMatchObject([{ type: 'Available', status: 'True', reason: 'Passed' }]);
    }
  });

  test('is not there for any of them when its server is gone', async () => {
    await extension.stop();
    for (const api of servers.values()) {
      const asked = await api.get(`${GROUP_VERSION}/things`);
      expect([asked.status, asked.json().reason]).toEqual([503, 'ServiceUnavailable']);
    }
  });
});
