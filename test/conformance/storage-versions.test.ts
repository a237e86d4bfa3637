import { namesOf } from '@orch/machinery';
import { loadScheme } from '@orch/schema';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Api, type ApiList, type ApiObject } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { expectStatus } from './conformance.js';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const POLICIES = 'admissionregistration.k8s.io';
/** Everything that there is; what came after the release has to be named. */
const ASKED = [
  'api/all=true',
  `${POLICIES}/v1beta1=true`,
  `${POLICIES}/v1/validatingadmissionpolicies=true`,
  `${POLICIES}/v1/validatingadmissionpolicybindings=true`,
];
const hpas = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers`;
const levels = (version: string) => `/apis/${GROUP}/${version}/prioritylevelconfigurations`;
const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 30 } },
};
const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } };
const autoscaler = (name: string) => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name, labels: { app: name } },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [cpu, memory],
  },
});
const level = (name: string) => ({
  apiVersion: `${GROUP}/v1beta3`,
  kind: 'PriorityLevelConfiguration',
  metadata: { name },
  spec: { type: 'Limited', limited: { nominalConcurrencyShares: 7, limitResponse: { type: 'Reject' } } },
});

let server: Standalone;
let api: Api;
/** Before anything was changed under the first version. */
let began: string;

/** The server goes on with its data, writing in other versions. */
async function restart(storageVersions: string): Promise<void> {
  await server.process.stop();
  vi.stubEnv('ORCH_STORAGE_VERSIONS', storageVersions);
  await server.process.start();
}

beforeAll(async () => {
  vi.stubEnv('ORCH_STORAGE_VERSIONS', `autoscaling/v1,${GROUP}/v1beta2`);
  server = await startStandalone({
    args: [`--runtime-config=${ASKED.join()}`, '--feature-gates=ClusterTrustBundle=true'],
  });
  api = new Api(server);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  api?.close();
  await server?.stop();
});

describe('a server whose storage versions are switched', () => {
  test('reads, lists, watches and updates what was written before', async () => {
    began = expectStatus(await api.get(hpas('v2')), 200).json<ApiList>().metadata.resourceVersion ?? '';
    for (const name of ['a', 'b']) expectStatus(await api.post(hpas('v2'), autoscaler(name)), 201);
    expectStatus(await api.post(levels('v1beta3'), level('l')), 201);
    await restart('');
    for (const name of ['a', 'b']) {
      const { spec } = expectStatus(await api.get(`${hpas('v2')}/${name}`), 200).json();
      expect(spec).toEqual(autoscaler(name).spec);
    }
    expectStatus(await api.post(hpas('v2'), autoscaler('c')), 201);
    for (const query of ['', '?resourceVersion=0', '?labelSelector=app', '?limit=5']) {
      const { items } = expectStatus(await api.get(`${hpas('v2')}${query}`), 200).json<ApiList>();
      expect(items.map(({ spec }: ApiObject) => spec)).toEqual(['a', 'b', 'c'].map((name) => autoscaler(name).spec));
      const old = expectStatus(await api.get(`${hpas('v1')}${query}`), 200).json<ApiList>().items;
      for (const { spec } of old) expect(spec.targetCPUUtilizationPercentage).toBe(50);
    }
    expect(expectStatus(await api.get(`${levels('v1beta3')}/l`), 200).json().spec).toMatchObject(level('l').spec);
    const { limited } = expectStatus(await api.get(`${levels('v1beta2')}/l`), 200).json().spec;
    expect(limited).toMatchObject({ assuredConcurrencyShares: 7 });
  });

  test('watches from before the switch, in history and from memory', async () => {
    for (const version of ['v2', 'v1']) {
      const stream = await api.watch(`${hpas(version)}?watch=1&resourceVersion=${began}`);
      const seen = await stream.take(3);
      expect(seen.map(({ type, object }) => [type, object.apiVersion, object.metadata.name])).toEqual(
        ['a', 'b', 'c'].map((name) => ['ADDED', `autoscaling/${version}`, name]),
      );
      for (const { object } of seen) {
        if (version === 'v2') expect(object.spec).toEqual(autoscaler('').spec);
        else expect(object.spec.targetCPUUtilizationPercentage).toBe(50);
      }
      stream.close();
    }
  });

  test('writes what it changes in the new version, and another server reads it in the old one', async () => {
    const patched = await api.patch(`${hpas('v1')}/a`, 'merge', { spec: { maxReplicas: 9 } });
    expect(expectStatus(patched, 200).json().spec).toMatchObject({
      maxReplicas: 9,
      targetCPUUtilizationPercentage: 50,
    });
    // Writing an object as it is moves it to the storage version: that is a write, once.
    const read = expectStatus(await api.get(`${hpas('v2')}/b`), 200).json();
    const moved = expectStatus(await api.put(`${hpas('v2')}/b`, read), 200).json();
    expect(moved.metadata.resourceVersion).not.toBe(read.metadata.resourceVersion);
    const again = expectStatus(await api.put(`${hpas('v2')}/b`, moved), 200).json();
    expect(again.metadata.resourceVersion).toBe(moved.metadata.resourceVersion);
    await restart('autoscaling/v1');
    const after = expectStatus(await api.get(`${hpas('v2')}/a`), 200).json();
    expect(after.spec).toEqual({ ...autoscaler('a').spec, maxReplicas: 9 });
    for (const name of ['a', 'b', 'c']) expectStatus(await api.delete(`${hpas('v2')}/${name}`), 200);
    expect(expectStatus(await api.get(hpas('v1')), 200).json<ApiList>().items).toEqual([]);
  });
});

describe('versions that are served when asked for', () => {
  const asked = loadScheme(namesOf('kubernetes')).resources.filter(
    ({ stored, servedByDefault }) => stored && !servedByDefault,
  );

  test.each(asked)('$group/$version $resource is there', async ({ group, version, resource }) => {
    const { resources } = expectStatus(await api.get(`/apis/${group}/${version}`), 200).json();
    expect(resources.map(({ name }: { name: string }) => name)).toContain(resource);
  });
});
