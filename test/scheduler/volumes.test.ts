import { explainVolumes, FakeCluster, type VolumeExplanation } from '@orch/scheduler/testing';
import type { Pod } from '@orch/schema/types/core/v1';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api } from '../support/api.js';
import { type Standalone, startStandalone } from '../support/standalone.js';
import { CONFIGURATION } from './profiles.js';
import { Random } from './random.js';
import {
  randomCapacities,
  randomClaim,
  randomPodVolumes,
  randomVolume,
  randomVolumeNode,
  STORAGE,
} from './random-volumes.js';
import { ReferenceScheduler } from './reference.js';
import { ok } from './snapshot.js';

const SNAPSHOTS = Number(process.env.SCHEDULER_SNAPSHOTS ?? 4);
const PODS_EACH = 25;
const FIRST_SEED = Number(process.env.SCHEDULER_SEED ?? 1);
const STORAGE_V1 = '/apis/storage.k8s.io/v1';
const VOLUMES = '/api/v1/persistentvolumes';
const SELECTED = 'volume.kubernetes.io/selected-node';
const BOUND = 'pv.kubernetes.io/bind-completed';

let server: Standalone;
let api: Api;
let reference: ReferenceScheduler;

beforeAll(async () => {
  server = await startStandalone();
  api = new Api(server);
  for (const [resource, object] of STORAGE) ok(await api.post(`${STORAGE_V1}/${resource}`, object));
  reference = await ReferenceScheduler.start(server);
}, 3_600_000);

afterAll(async () => {
  await reference?.stop();
  api?.close();
  await server?.stop();
});

const list = async <T>(path: string): Promise<readonly T[]> =>
  (await api.get(path)).json<{ items: readonly T[] }>().items;

interface Named {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Makes the objects of a snapshot, in a namespace of its own. @returns names of its claims */
async function fill(random: Random, namespace: string): Promise<readonly string[]> {
  const claimsPath = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  ok(await api.post('/api/v1/namespaces', { metadata: { name: namespace } }));
  await api.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } });
  for (const old of ['nodes', 'persistentvolumes']) await api.delete(`/api/v1/${old}`);
  for (const { metadata } of await list<Named>(VOLUMES))
    await api.patch(`${VOLUMES}/${metadata.name}`, 'merge', { metadata: { finalizers: null } });
  await api.delete(`${STORAGE_V1}/csinodes`);
  for (const capacity of randomCapacities(random))
    ok(await api.post(`${STORAGE_V1}/namespaces/${namespace}/csistoragecapacities`, capacity));
  const nodes = random.many(3, 7, (at) => `${namespace}n${at}`);
  for (const name of nodes) {
    const { node, csiNode } = randomVolumeNode(random, name);
    if (csiNode) ok(await api.post(`${STORAGE_V1}/csinodes`, csiNode));
    ok(await api.post('/api/v1/nodes', node));
    ok(await api.patch(`/api/v1/nodes/${name}`, 'merge', { spec: { taints: null } }));
  }
  const volumes = random.many(5, 12, (at) => `${namespace}v${at}`);
  for (const [at, name] of volumes.entries()) {
    const volume = randomVolume(random, name, at, nodes);
    ok(await api.post(VOLUMES, volume));
    ok(await api.patch(`${VOLUMES}/${name}/status`, 'merge', { status: volume.status }));
  }
  const claims = random.many(6, 12, (at) => `c${at}`);
  for (const name of claims) ok(await api.post(claimsPath, randomClaim(random, name)));
  for (const name of random.some(claims, 0.4)) await bind(random, claimsPath, name, random.pick(volumes));
  for (const at of [0, 1, 2]) await place(random, namespace, `on${at}`, claims, random.pick(nodes));
  await settle(namespace);
  return claims;
}

/** Binds a claim, or reserves a volume for it, or has its volume made. */
async function bind(random: Random, claimsPath: string, name: string, volumeName: string): Promise<void> {
  const { metadata } = ok(await api.get(`${claimsPath}/${name}`)).json();
  const { namespace, uid } = metadata;
  if (random.chance(0.15)) {
    await api.patch(`${claimsPath}/${name}/status`, 'merge', { status: { phase: 'Lost' } });
    return;
  }
  await api.patch(`${VOLUMES}/${volumeName}`, 'merge', {
    spec: { claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid } },
  });
  if (random.chance(0.25)) return;
  const annotations = random.chance(0.85) ? { [BOUND]: 'yes' } : {};
  await api.patch(`${claimsPath}/${name}`, 'merge', { metadata: { annotations }, spec: { volumeName } });
}

async function place(random: Random, namespace: string, name: string, claims: readonly string[], nodeName: string) {
  await api.post(`/api/v1/namespaces/${namespace}/pods`, {
    metadata: { name },
    spec: { nodeName, containers: [{ name: 'c', image: 'i' }], volumes: randomPodVolumes(random, claims) },
  });
}

/** Waits until the reference has seen all: what was made last, of each resource, is what a pod needs. */
async function settle(namespace: string, last = 'last'): Promise<void> {
  const [pods, claims] = ['pods', 'persistentvolumeclaims'].map((of) => `/api/v1/namespaces/${namespace}/${of}`);
  const volumeName = `${namespace}${last}`;
  ok(
    await api.post(VOLUMES, {
      metadata: { name: volumeName },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi: { driver: 'x', volumeHandle: 'y' } },
    }),
  );
  const spec = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: '',
    volumeName,
    resources: { requests: { storage: '1Gi' } },
  };
  ok(await api.post(claims ?? '', { metadata: { name: last, annotations: { [BOUND]: 'yes' } }, spec }));
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: last } }];
  ok(
    await api.post(pods ?? '', {
      metadata: { name: last },
      spec: { containers: [{ name: 'c', image: 'i' }], volumes },
    }),
  );
  await expect
    .poll(async () => (await api.get(`${pods}/${last}`)).json().spec.nodeName, { interval: 10 })
    .toBeDefined();
  await api.delete(`${pods}/${last}?gracePeriodSeconds=0`);
  await reference.noticed('"Delete event for scheduled pod" pod=', [`${namespace}/${last}`]);
}

/** Returns a copy of what is there. */
async function copy(): Promise<FakeCluster> {
  const cluster = new FakeCluster();
  const { informers } = cluster;
  const into = async (to: { put(key: string, object: object): void }, path: string) => {
    for (const object of await list<Named>(path)) {
      const { namespace, name } = object.metadata;
      to.put(namespace ? `${namespace}/${name}` : name, object);
    }
  };
  await into(informers.nodes as never, '/api/v1/nodes');
  await into(informers.pods as never, '/api/v1/pods');
  await into(informers.namespaces, '/api/v1/namespaces');
  await into(informers.persistentVolumes, VOLUMES);
  await into(informers.persistentVolumeClaims, '/api/v1/persistentvolumeclaims');
  await into(informers.storageClasses, `${STORAGE_V1}/storageclasses`);
  await into(informers.csiNodes, `${STORAGE_V1}/csinodes`);
  await into(informers.csiDrivers, `${STORAGE_V1}/csidrivers`);
  await into(informers.csiStorageCapacities, `${STORAGE_V1}/csistoragecapacities`);
  return cluster;
}

/** Returns who holds each volume, and the nodes for which volumes are made: what the schedulers write. */
async function holders(namespace: string): Promise<ReadonlySet<string>> {
  const held = new Set<string>();
  for (const { metadata, spec } of await list<Named & { spec: { claimRef?: { name: string } } }>(VOLUMES))
    if (spec.claimRef) held.add(`${metadata.name}=${spec.claimRef.name}`);
  const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
  for (const { metadata } of await list<Named & { metadata: { annotations?: Record<string, string> } }>(claims))
    if (metadata.annotations?.[SELECTED]) held.add(`${metadata.name}@${metadata.annotations[SELECTED]}`);
  return held;
}

/** Whether writes change nothing, so that they cannot be seen. */
const isInvisible = (writes: readonly string[], before: ReadonlySet<string>): boolean =>
  writes.length > 0 && writes.every((each) => before.has(each));

/** Takes back what was written since. */
async function takeBack(namespace: string, before: ReadonlySet<string>): Promise<void> {
  for (const each of await holders(namespace)) {
    if (before.has(each)) continue;
    const [volume, claim] = each.split('=');
    const [name] = each.split('@');
    const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    if (claim) ok(await api.patch(`${VOLUMES}/${volume}`, 'merge', { spec: { claimRef: null } }));
    else ok(await api.patch(`${claims}/${name}`, 'merge', { metadata: { annotations: { [SELECTED]: null } } }));
  }
}

interface Decided {
  readonly node?: string;
  readonly message?: string;
  readonly writes?: readonly string[];
}

/** Waits for the decision of the reference about a pod. */
async function decided(path: string, namespace: string, before: ReadonlySet<string>): Promise<Decided> {
  const look = async (): Promise<Decided | undefined> => {
    const pod = (await api.get(path)).json<Pod>();
    if (pod.spec?.nodeName) return { node: pod.spec.nodeName };
    const writes = [...(await holders(namespace))].filter((each) => !before.has(each)).sort();
    if (writes.length > 0) return { writes };
    const message = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
    return message === undefined ? undefined : { message };
  };
  await expect.poll(look, { interval: 5 }).toBeDefined();
  return (await look()) ?? {};
}

/** Returns what differs, as two texts. */
function compared(ours: VolumeExplanation, theirs: Decided) {
  if (ours.message !== undefined || theirs.message !== undefined)
    return { ours: ours.message, theirs: theirs.message ?? JSON.stringify(theirs) };
  const possible = Object.entries(ours.writes);
  const isOurs = ([node, writes]: readonly [string, readonly string[]]) =>
    theirs.node === undefined
      ? (theirs.writes ?? []).every((each) => writes.includes(each))
      : node === theirs.node && writes.length === 0;
  return { ours: possible.some(isOurs) ? theirs : possible, theirs };
}

test.each(Array.from({ length: SNAPSHOTS }, (_, at) => FIRST_SEED + at))(
  'finds volumes as the scheduler of the release: seed %i',
  async (seed) => {
    const random = new Random(seed);
    const namespace = `s${seed}`;
    const claims = await fill(random, namespace);
    for (let at = 0; at < PODS_EACH; at++) {
      const cluster = await copy();
      const before = await holders(namespace);
      const volumes = randomPodVolumes(random, claims);
      const metadata = { name: `p${at}`, namespace };
      const body = { metadata, spec: { containers: [{ name: 'c', image: 'i' }], volumes } };
      const pod = { ...body, metadata: { ...metadata, uid: 'u' } } as unknown as Pod;
      const ours = await explainVolumes(cluster, pod, CONFIGURATION);
      if (Object.values(ours.writes).some((writes) => isInvisible(writes, before))) continue;
      const pods = `/api/v1/namespaces/${namespace}/pods`;
      ok(await api.post(pods, body));
      const theirs = await decided(`${pods}/p${at}`, namespace, before);
      const result = compared(ours, theirs);
      expect(result.ours, `seed ${seed}, ${JSON.stringify(volumes)}`).toEqual(result.theirs);
      if (theirs.node !== undefined && random.chance(0.5)) continue;
      ok(await api.delete(`${pods}/p${at}?gracePeriodSeconds=0`));
      const event = theirs.node === undefined ? 'unscheduled' : 'scheduled';
      await reference.noticed(`"Delete event for ${event} pod" pod=`, [`${namespace}/p${at}`]);
      if (!theirs.writes) continue;
      await reference.noticed('"Failed to bind volumes for pod" pod=', [`${namespace}/p${at}`]);
      await takeBack(namespace, before);
      await settle(namespace, `last${at}`);
    }
  },
);
