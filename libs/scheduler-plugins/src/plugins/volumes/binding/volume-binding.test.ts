import { VolumeCluster } from '@orch/scheduler/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import type { NodeInfo } from '../../../framework/node-info.js';
import type { PluginReservation, PodFilter, Rejection } from '../../../framework/plugin.js';
import type { PodInfo } from '../../../framework/pod-info.js';
import { volumeBinding } from './volume-binding.js';
import type { VolumeContext } from './volume-context.js';

const SELECTED = 'volume.kubernetes.io/selected-node';
const NOT_FOUND = "node(s) didn't find available persistent volumes to bind";

let cluster: VolumeCluster;
let context: VolumeContext;
let node: NodeInfo;

beforeEach(() => {
  cluster = new VolumeCluster();
  context = cluster.context();
  node = cluster.node('n1', { zone: 'a' });
  cluster.storageClass('local');
  cluster.storageClass('made', { provisioner: 'csi.example.com' });
});

const plugin = () => volumeBinding(context, { bindTimeoutSeconds: 600, shape: [] });
const prepare = (pod: PodInfo) => plugin().prepare(pod, cluster.view);
const rejected = (pod: PodInfo) => (prepare(pod) as Rejection | undefined)?.reasons;
const filterOf = (pod: PodInfo) => prepare(pod) as PodFilter;
const reasons = (pod: PodInfo, on = node) => filterOf(pod).filter(on)?.reasons;
const reserve = (pod: PodInfo, on = node) => filterOf(pod).reserve?.(on) as PluginReservation;

/** Runs what precedes the binding of a pod; tells how it ended. */
function preBind(reservation: PluginReservation, signal = new AbortController().signal) {
  const outcome = { state: 'waits' };
  const ended = reservation.preBind(signal).then(
    () => {
      outcome.state = 'bound';
    },
    (error: Error) => {
      outcome.state = error.message;
    },
  );
  return Object.assign(outcome, { ended });
}

it('sees in one term of leadership what was assumed in another, and writes by the writer of its own', () => {
  const writer = { updateVolume: async () => ({}), updateClaim: async () => ({}) };
  const next = context.writtenBy(writer);
  expect([next.volumes, next.claims, next.volumesOfClass]).toEqual([
    context.volumes,
    context.claims,
    context.volumesOfClass,
  ]);
  expect([next.writer, context.writer]).toEqual([writer, cluster]);
});

describe('claims of a pod', () => {
  it('are no matter of pods without any', () => {
    expect(prepare(cluster.pod('p', { name: 'v', emptyDir: {} }))).toBeUndefined();
  });

  it.each([
    ['c', {}, 'persistentvolumeclaim "c" not found'],
    [
      'lost',
      { status: { phase: 'Lost' as const } },
      'persistentvolumeclaim "lost" bound to non-existent persistentvolume ""',
    ],
    [
      'gone',
      { metadata: { name: 'gone', namespace: 'ns', deletionTimestamp: 'now' } },
      'persistentvolumeclaim "gone" is being deleted',
    ],
    ['other', { spec: { storageClassName: 'unknown' } }, 'pod has unbound immediate PersistentVolumeClaims'],
    ['prebound', { spec: { volumeName: 'pv' } }, 'pod has unbound immediate PersistentVolumeClaims'],
  ])('keep it from all nodes: %s', (name, more, reason) => {
    if (name !== 'c') cluster.claim(name, '1Gi', more);
    expect(prepare(cluster.pod('p', name))).toEqual({
      plugin: 'VolumeBinding',
      reasons: [reason],
      isResolvable: false,
    });
  });

  it('of ephemeral volumes must be there, and its own', () => {
    const pod = cluster.pod('p', { name: 'v', ephemeral: {} });
    expect(rejected(pod)).toEqual([
      'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"',
    ]);
    cluster.claim('p-v', '1Gi');
    expect(rejected(pod)).toEqual(['PVC ns/p-v was not created for pod ns/p (pod is not owner)']);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'uid-p', controller: true }];
    cluster.claim('p-v', '1Gi', { metadata: { name: 'p-v', namespace: 'ns', ownerReferences } });
    expect(reasons(pod)).toEqual([NOT_FOUND]);
  });

  it('that are bound keep it to nodes that reach the volume', () => {
    const pod = cluster.pod('p', 'c');
    cluster.claim('c', '1Gi');
    cluster.bindClaim('c', 'pv');
    expect(reasons(pod)).toEqual(['node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)']);
    cluster.volume('pv', '1Gi', 'n1');
    const elsewhere = cluster.node('n2');
    const filter = filterOf(pod);
    expect([filter.filter(node), filter.filter(elsewhere)?.reasons]).toEqual([
      undefined,
      ['node(s) had volume node affinity conflict'],
    ]);
    expect([...(filter.candidates ?? [])]).toEqual(['n1']);
    expect(filter.reserve?.(node)).toBeUndefined();
  });

  it('are looked for everywhere where labels of nodes are not their names', () => {
    cluster.node('n1', { 'kubernetes.io/hostname': 'other' });
    cluster.claim('c', '1Gi');
    cluster.bindClaim('c', 'pv');
    cluster.volume('pv', '1Gi', 'n1');
    expect(filterOf(cluster.pod('p', 'c')).candidates).toBeUndefined();
  });

  it('get the smallest volumes of a node, each its own', async () => {
    cluster.volume('big', '10Gi', 'n1');
    cluster.volume('small', '2Gi', 'n1');
    cluster.volume('elsewhere', '1Gi', 'n2');
    cluster.claim('large', '2Gi');
    cluster.claim('little', '1Gi');
    const pod = cluster.pod('p', 'large', 'little');
    expect(reasons(pod)).toBeUndefined();
    reserve(pod);
    const claimOf = (name: string) => context.volumes.get(name)?.spec?.claimRef?.name;
    expect([claimOf('small'), claimOf('big'), claimOf('elsewhere')]).toEqual(['little', 'large', undefined]);
    cluster.claim('third', '1Gi');
    expect(reasons(cluster.pod('q', 'third'))).toEqual([NOT_FOUND]);
  });
});

it('takes the smallest volume, whether it is that of the host or one that any host may have', () => {
  const holderOf = (name: string) => context.volumes.get(name)?.spec?.claimRef?.name;
  cluster.volume('local-2', '2Gi', 'n1');
  cluster.volume('local-4', '4Gi', 'n1');
  cluster.volume('shared-1', '1Gi');
  cluster.volume('shared-3', '3Gi');
  for (const name of ['a', 'b', 'c', 'd']) {
    cluster.claim(name, '1Gi');
    reserve(cluster.pod(`of-${name}`, name));
  }
  expect(['shared-1', 'local-2', 'shared-3', 'local-4'].map(holderOf)).toEqual(['a', 'b', 'c', 'd']);
});

describe('volumes that are made', () => {
  const made = { spec: { storageClassName: 'made', resources: { requests: { storage: '5Gi' } } } };

  it('can be made where the topologies of the class allow it', () => {
    cluster.claim('c', '5Gi', made);
    expect(reasons(cluster.pod('p', 'c'))).toBeUndefined();
    const allowedTopologies = [{ matchLabelExpressions: [{ key: 'zone', values: ['b'] }] }];
    cluster.storageClass('made', { provisioner: 'csi.example.com', allowedTopologies });
    expect(reasons(cluster.pod('p', 'c'))).toEqual([NOT_FOUND]);
    expect(reasons(cluster.pod('p', 'c'), cluster.node('n2', { zone: 'b' }))).toBeUndefined();
  });

  it('need storage that the node reaches, where the driver tells', () => {
    cluster.claim('c', '5Gi', made);
    cluster.drivers.put('csi.example.com', { spec: { storageCapacity: true } });
    const full = ['node(s) did not have enough free storage'];
    expect(reasons(cluster.pod('p', 'c'))).toEqual(full);
    const nodeTopology = { matchLabels: { zone: 'a' } };
    const capacity = { storageClassName: 'made', capacity: '10Gi', nodeTopology };
    cluster.capacities.put('ns/a', capacity);
    expect(reasons(cluster.pod('p', 'c'))).toBeUndefined();
    expect(reasons(cluster.pod('p', 'c'), cluster.node('n2', { zone: 'b' }))).toEqual(full);
    cluster.capacities.put('ns/a', { ...capacity, maximumVolumeSize: '4Gi' });
    expect(reasons(cluster.pod('p', 'c'))).toEqual(full);
  });

  it('are made for the node that was selected, and no other', () => {
    cluster.claim('c', '5Gi', { ...made, metadata: { name: 'c', namespace: 'ns', annotations: { [SELECTED]: 'n1' } } });
    const pod = cluster.pod('p', 'c');
    expect([reasons(pod), reasons(pod, cluster.node('n2'))]).toEqual([undefined, [NOT_FOUND]]);
  });

  it('are waited for once the node is written to the claim', async () => {
    cluster.claim('c', '5Gi', made);
    const outcome = preBind(reserve(cluster.pod('p', 'c')));
    await cluster.clock.settle();
    expect([cluster.written, outcome.state]).toEqual([['claim ns/c'], 'waits']);
    expect(cluster.claims.get('ns/c')?.metadata?.annotations?.[SELECTED]).toBe('n1');
    cluster.bindClaim('c', 'new');
    await cluster.clock.settle();
    expect(outcome.state).toBe('waits');
    cluster.volume('new', '5Gi', 'n1');
    await cluster.clock.settle();
    expect(outcome.state).toBe('bound');
    expect(context.claims.size).toBe(0);
  });

  it('may fail: another node is looked for', async () => {
    cluster.claim('c', '5Gi', made);
    const reservation = reserve(cluster.pod('p', 'c'));
    const outcome = preBind(reservation);
    await cluster.clock.settle();
    cluster.claim('c', '5Gi', { ...made, metadata: { name: 'c', namespace: 'ns', annotations: { other: 'x' } } });
    await outcome.ended;
    expect(outcome.state).toBe('binding volumes: provisioning failed for PVC "c"');
    reservation.undo();
    expect(reasons(cluster.pod('p', 'c'), cluster.node('n2'))).toBeUndefined();
  });

  it('on a node that they cannot be used from fail the binding', async () => {
    cluster.claim('c', '5Gi', made);
    const outcome = preBind(reserve(cluster.pod('p', 'c')));
    await cluster.clock.settle();
    cluster.volume('new', '5Gi', 'n2');
    cluster.bindClaim('c', 'new');
    await outcome.ended;
    expect(outcome.state).toBe(
      'binding volumes: pv "new" node affinity doesn\'t match node "n1": no matching NodeSelectorTerms',
    );
  });
});

describe('a reservation of volumes', () => {
  let pod: PodInfo;

  beforeEach(() => {
    cluster.volume('pv', '1Gi', 'n1');
    cluster.claim('c', '1Gi');
    pod = cluster.pod('p', 'c');
  });

  it('binds the volume, and waits for the claim', async () => {
    const outcome = preBind(reserve(pod));
    await cluster.clock.advance(5_000);
    expect([cluster.written, outcome.state]).toEqual([['volume pv'], 'waits']);
    expect(cluster.volumes.get('pv')).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/bound-by-controller': 'yes' } },
      spec: { claimRef: { kind: 'PersistentVolumeClaim', name: 'c', uid: 'uid-c' } },
    });
    cluster.bindClaim('c', 'pv');
    await outcome.ended;
    expect([outcome.state, context.volumes.size]).toEqual(['bound', 0]);
  });

  it('is seen by the next pod before it is written', () => {
    cluster.claim('d', '1Gi');
    const other = cluster.pod('q', 'd');
    const late = filterOf(other);
    const reservation = reserve(pod);
    expect(reasons(other)).toEqual([NOT_FOUND]);
    reservation.undo();
    expect(reasons(other)).toBeUndefined();
    expect(late.filter(node)).toBeUndefined();
  });

  it('that is undone gives up what it assumed alone', () => {
    const first = reserve(pod);
    // Another pod of the same claim finds the volume reserved already.
    const second = reserve(cluster.pod('q', 'c'));
    second.undo();
    expect(context.volumes.get('pv')?.spec?.claimRef?.name).toBe('c');
    first.undo();
    first.undo();
    expect(context.volumes.get('pv')?.spec?.claimRef).toBeUndefined();
  });

  it('is given up as a whole where a part has changed meanwhile', () => {
    cluster.claim('e', '1Gi', { spec: { storageClassName: 'made', resources: { requests: { storage: '1Gi' } } } });
    const filter = filterOf(cluster.pod('r', 'c', 'e'));
    cluster.claim('e', '1Gi', { spec: { storageClassName: 'made', resources: { requests: { storage: '1Gi' } } } });
    expect(() => filter.reserve?.(node)).toThrow(
      /v1.PersistentVolumeClaim "ns\/e" is out of sync \(stored: \d+, assume: \d+\)/,
    );
    expect(context.volumes.size + context.claims.size).toBe(0);
  });

  it('of a volume that is gone fails', () => {
    const filter = filterOf(pod);
    cluster.volumes.remove('pv');
    expect(() => filter.reserve?.(node)).toThrow('could not find v1.PersistentVolume "pv"');
    expect(cluster.failures).toEqual(['assume']);
  });

  it('fails where the volume was changed by others, and is seen as they left it', async () => {
    const reservation = reserve(pod);
    cluster.volume('pv', '1Gi', 'n1', { spec: { claimRef: { namespace: 'ns', name: 'x', uid: 'y' } } });
    const outcome = preBind(reservation);
    await outcome.ended;
    expect(outcome.state).toBe('volume pv has changed');
    expect(cluster.failures).toEqual(['bind']);
    expect(context.volumes.get('pv')?.spec?.claimRef?.name).toBe('x');
    reservation.undo();
    expect(reasons(pod)).toEqual([NOT_FOUND]);
  });

  it('stays assumed until the API has shown what was written', async () => {
    cluster.isShown = false;
    const outcome = preBind(reserve(pod));
    await cluster.clock.settle();
    // The volume as it was before does not count as reset.
    cluster.claim('z', '1Gi');
    await cluster.clock.settle();
    expect([cluster.written, outcome.state]).toEqual([['volume pv'], 'waits']);
    expect(context.volumes.get('pv')?.spec?.claimRef?.name).toBe('c');
  });

  it.each([
    ['the volume is given up', () => cluster.volume('pv', '1Gi', 'n1'), 'ClaimRef got reset for pv "pv"'],
    [
      'the volume is deleted',
      () => cluster.volumes.remove('pv'),
      'failed to check binding: could not find v1.PersistentVolume "pv"',
    ],
    [
      'the claim is deleted',
      () => cluster.claims.remove('ns/c'),
      'failed to check binding: could not find v1.PersistentVolumeClaim "ns/c"',
    ],
    ['the pod is deleted', () => cluster.pods.remove('ns/p'), 'pod does not exist any more: pod "p" not found'],
    ['the node goes', () => node.setNode({}), 'failed to get node "n1": node "n1" not found'],
    [
      'the node is labelled otherwise',
      () => cluster.node('n1', { 'kubernetes.io/hostname': 'x' }),
      'pv "pv" node affinity doesn\'t match node "n1": no matching NodeSelectorTerms',
    ],
  ])('ends when %s', async (_what, happen, message) => {
    const outcome = preBind(reserve(pod));
    await cluster.clock.settle();
    happen();
    await cluster.clock.advance(1_000);
    expect(outcome.state).toBe(`binding volumes: ${message}`);
  });

  it('ends after the time that is configured, and when the scheduler ends', async () => {
    const late = preBind(reserve(pod));
    await cluster.clock.advance(599_999);
    expect(late.state).toBe('waits');
    await cluster.clock.advance(1);
    expect(late.state).toBe('binding volumes: timed out waiting for the condition');
    const abort = new AbortController();
    const ended = preBind(reserve(cluster.pod('q', 'c')), abort.signal);
    await cluster.clock.settle();
    abort.abort();
    await ended.ended;
    expect(ended.state).toBe('binding volumes: the scheduler ends');
  });
});

it('scores nodes by how full their volumes would be, where that is configured', () => {
  const shape = [
    { utilization: 0, score: 0 },
    { utilization: 100, score: 10 },
  ];
  cluster.volume('a', '10Gi', 'n1');
  cluster.volume('b', '4Gi', 'n2');
  cluster.claim('c', '2Gi');
  const nodes = [node, cluster.node('n2'), cluster.node('n3')];
  const pod = cluster.pod('p', 'c');
  expect(volumeBinding(context, { bindTimeoutSeconds: 1, shape }).score(pod, nodes, cluster.view)).toEqual([20, 50, 0]);
  expect(plugin().score(pod, nodes, cluster.view)).toBeUndefined();
});
