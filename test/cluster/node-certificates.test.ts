import { X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, writeKubeconfig } from '@orch/client';
import { namesOf } from '@orch/machinery';
import { type NodeConnection, nodeConnection, type PairSource, servingCertificate } from '@orch/node-certificates';
import { type Clock, Metrics, silentLogger, systemClock } from '@orch/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Api, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';

const names = namesOf('kubernetes');
const REQUESTS = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const TOKEN = 'abc123.0123456789abcdef';
/** How much faster time passes for an agent whose certificates, which live for 10 minutes, are renewed within a test. */
const SPEED = 60;

let start = 0;
const fastClock: Clock = {
  ...systemClock,
  wall: () => start + (Date.now() - start) * SPEED,
  after: (ms, task) => systemClock.after(ms / SPEED, task),
};

let server: Standalone;
let api: Api;
let dir: string;
let stops: (() => Promise<void>)[];

beforeAll(async () => {
  server = await startStandalone({
    args: [
      '--enable-bootstrap-token-auth',
      '--cluster-signing-duration=10m',
      '--runtime-config=authentication.k8s.io/v1beta1=true',
    ],
  });
  api = new Api(server);
  const data = { 'token-id': 'abc123', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' };
  const secret = {
    metadata: { name: 'bootstrap-token-abc123' },
    type: 'bootstrap.kubernetes.io/token',
    stringData: data,
  };
  expect((await api.post('/api/v1/namespaces/kube-system/secrets', secret)).status).toBe(201);
  await allow('joining', 'system:node-bootstrapper', 'system:bootstrappers');
  // Whoever may look at pods: the nodes of this server have no rights by their node objects.
  await allow('nodes', 'view', 'system:nodes');
  await allow('nodes-ask', 'system:node-bootstrapper', 'system:nodes');
});
afterAll(async () => {
  api?.close();
  await server?.stop();
});
beforeEach(() => {
  start = Date.now();
  dir = mkdtempSync(join(tmpdir(), 'node-certificates-'));
  stops = [];
});
afterEach(async () => {
  for (const stop of stops) await stop();
  for (const { metadata } of await requests()) await api.delete(`${REQUESTS}/${metadata.name}`);
  rmSync(dir, { recursive: true, force: true });
});

async function allow(name: string, role: string, group: string): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'Group', apiGroup: rbac, name: group }];
  const binding = { metadata: { name }, subjects, roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role } };
  expect((await api.post(`/apis/${rbac}/v1/clusterrolebindings`, binding)).status).toBe(201);
}

const requests = async (): Promise<ApiObject[]> => (await api.get(REQUESTS)).json<ApiObject>().items;
const file = (name: string): string => join(dir, name);
const pem = (): string => readFileSync(file('pki/node-agent-client-current.pem'), 'utf8');

async function decide(type: 'Approved' | 'Denied'): Promise<string> {
  await expect.poll(async () => (await requests()).length).toBe(1);
  const [request] = await requests();
  const name = String(request?.metadata.name);
  const status = { conditions: [{ type, status: 'True', reason: 'Seen', message: 'by hand' }] };
  expect((await api.patch(`${REQUESTS}/${name}/approval`, 'merge', { status })).status).toBe(200);
  return name;
}

/** Approves whatever is asked for, until it is stopped. */
function approveAll(): void {
  let stopped = false;
  const approved = (async () => {
    while (!stopped) {
      for (const request of await requests())
        if (!request.status?.conditions) {
          const status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Seen' }] };
          await api.patch(`${REQUESTS}/${request.metadata.name}/approval`, 'merge', { status });
        }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  stops.push(async () => {
    stopped = true;
    await approved;
  });
}

/** Begins to join as a node. `end` ends it as the end of the process would, if it is not done. */
async function joining({ rotate = false, metrics }: { rotate?: boolean; metrics?: Metrics } = {}) {
  const bootstrapKubeconfig = file('bootstrap');
  await writeKubeconfig(bootstrapKubeconfig, { server: server.url, ca: server.ca, token: TOKEN });
  const abort = new AbortController();
  const options = { kubeconfig: file('kubeconfig'), bootstrapKubeconfig, certDir: file('pki') };
  const joined = nodeConnection({
    ...{
      options: { ...options, rotateCertificates: rotate },
      node: 'n1',
      names,
      clock: rotate ? fastClock : systemClock,
    },
    ...{ logger: silentLogger, signal: abort.signal, ...(metrics && { metrics }) },
  });
  joined.catch(() => {});
  stops.push(async () => {
    abort.abort();
    await (await joined)?.stop();
  });
  const end = async () => {
    abort.abort();
    return joined;
  };
  return { joined: joined as Promise<NodeConnection>, end };
}

async function whoIs({ connection }: NodeConnection): Promise<string> {
  const client = new Client(connection, { names });
  try {
    const review = { apiVersion: 'authentication.k8s.io/v1beta1', kind: 'SelfSubjectReview' };
    const ref = { group: 'authentication.k8s.io', version: 'v1beta1', resource: 'selfsubjectreviews' };
    const { status } = (await client.create(ref, review)) as { status?: { userInfo: { username: string } } };
    return String(status?.userInfo.username);
  } finally {
    await client.close();
  }
}

describe('an agent that joins', () => {
  test('--bootstrap-kubeconfig: waits for somebody to approve its request, and is the node then', async () => {
    const { joined } = await joining();
    await decide('Approved');
    expect(await whoIs(await joined)).toBe('system:node:n1');
    const { O, CN } = new X509Certificate(pem()).toLegacyObject().subject;
    expect([O, CN]).toEqual(['system:nodes', 'system:node:n1']);
    expect(statSync(file('kubeconfig')).mode & 0o777).toBe(0o600);
    expect(readFileSync(file('kubeconfig'), 'utf8')).toContain('node-agent-client-current.pem');
    expect(readFileSync(file('kubeconfig'), 'utf8')).not.toContain(TOKEN);
  });

  test('leaves a refused request alone, and asks with the same name when it has been deleted', async () => {
    const { joined } = await joining();
    const name = await decide('Denied');
    await api.delete(`${REQUESTS}/${name}`);
    await expect.poll(async () => (await requests()).map(({ status }) => status?.conditions)).toEqual([undefined]);
    expect(await decide('Approved')).toBe(name);
    expect(await whoIs(await joined)).toBe('system:node:n1');
  });

  test.each([
    ['its request is made', async () => expect.poll(async () => (await requests()).length).toBe(1)],
    [
      'its request is approved while nobody waits',
      async (end: () => Promise<unknown>) => {
        await expect.poll(async () => (await requests()).length).toBe(1);
        await end();
        await decide('Approved');
      },
    ],
    ['its key is half written', async () => writeFileSync(file('pki/node-agent-client.key'), '-----BEGIN')],
  ])('goes on when it is ended after %s', async (_, step) => {
    const first = await joining();
    await expect.poll(async () => (await requests()).length).toBe(1);
    await step(first.end);
    expect(await first.end()).toBeUndefined();
    expect(existsSync(file('kubeconfig'))).toBe(false);
    if (readFileSync(file('pki/node-agent-client.key'), 'utf8').length < 20)
      for (const { metadata } of await requests()) await api.delete(`${REQUESTS}/${metadata.name}`);
    const second = await joining();
    const [request] = await requests();
    if (!request?.status?.conditions) await decide('Approved');
    expect(await whoIs(await second.joined)).toBe('system:node:n1');
    expect(await requests()).toHaveLength(1);
  });

  test('goes on when it is ended between certificate and connection file, and when the former is broken', async () => {
    const { joined } = await joining();
    const name = await decide('Approved');
    const { connection } = await joined;
    rmSync(file('kubeconfig'));
    expect((await (await joining()).joined).connection).toEqual(connection);
    expect((await requests()).map(({ metadata }) => metadata.name)).toEqual([name]);
    writeFileSync(file('pki/node-agent-client-current.pem'), pem().slice(0, 100));
    const again = await joining();
    await expect.poll(async () => (await requests()).length).toBe(2);
    await api.delete(`${REQUESTS}/${name}`);
    await decide('Approved');
    expect(await whoIs(await again.joined)).toBe('system:node:n1');
  });

  test('renews a short certificate under load, and no request fails', { timeout: 120_000 }, async () => {
    approveAll();
    const metrics = new Metrics();
    const { connection } = await (await joining({ rotate: true, metrics })).joined;
    const client = new Client(connection, { names, qps: -1 });
    stops.push(() => client.close());
    const serials = () => new X509Certificate(pem()).serialNumber;
    const seen = new Set([serials()]);
    let calls = 0;
    while (seen.size < 3) {
      const pods = { group: '', version: 'v1', resource: 'pods', namespace: 'default' };
      await Promise.all([1, 2, 3, 4].map(() => client.list(pods)));
      calls += 4;
      seen.add(serials());
    }
    expect(calls).toBeGreaterThan(100);
    expect((await metrics.text()).body).toContain('kubelet_certificate_manager_client_expiration_renew_errors 0');
    expect(readdirSync(file('pki')).filter((each) => /-client-2.*\.pem$/.test(each))).toHaveLength(2);
  });

  test('gets a certificate for its port, for the addresses of its node', async () => {
    const { joined } = await joining();
    const first = await decide('Approved');
    const { connection } = await joined;
    await api.delete(`${REQUESTS}/${first}`);
    const client = new Client(connection, { names });
    const source: PairSource = await servingCertificate({
      options: { address: '0.0.0.0', certDir: file('pki'), rotateServerCertificates: true },
      ...{ node: 'n1', client, names, clock: systemClock, logger: silentLogger },
      addresses: () => [
        { type: 'InternalIP', address: '10.1.2.3' },
        { type: 'Hostname', address: 'n1' },
      ],
    });
    stops.push(async () => {
      await source.stop();
      await client.close();
    });
    expect(source.pair()).toBeUndefined();
    await decide('Approved');
    await expect.poll(() => source.pair()).toBeDefined();
    const { subjectAltName } = new X509Certificate(source.pair()?.cert ?? '');
    expect(subjectAltName).toBe('DNS:n1, IP Address:10.1.2.3');
  });
});
