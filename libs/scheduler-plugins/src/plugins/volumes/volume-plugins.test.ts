import { namesOf } from '@orch/machinery';
import { VolumeCluster } from '@orch/scheduler/testing';
import type { Volume } from '@orch/schema/types/core/v1';
import { beforeEach, describe, expect, it } from 'vitest';
import type { NodeInfo } from '../../framework/node-info.js';
import type { FilterPlugin, PodFilter } from '../../framework/plugin.js';
import type { PluginArgs } from '../../framework/plugin-args.js';
import type { PodInfo } from '../../framework/pod-info.js';
import { makePlugin } from '../registry.js';
import { csiLimits } from './csi-limits.js';
import { volumeRestrictions } from './volume-restrictions.js';
import { volumeZone } from './volume-zone.js';

const TOO_MANY = ['node(s) exceed max volume count'];
const ZONE = 'topology.kubernetes.io/zone';
const MIGRATED = 'storage.alpha.kubernetes.io/migrated-plugins';

let cluster: VolumeCluster;
let node: NodeInfo;
beforeEach(() => {
  cluster = new VolumeCluster();
  node = cluster.node('n1');
});

/** Reasons of a plugin against a pod on a node, or against it as a whole. */
function reasons(plugin: FilterPlugin, pod: PodInfo, on = node): readonly string[] | undefined {
  const prepared = plugin.prepare(pod, cluster.view);
  if (!prepared) return undefined;
  return 'reasons' in prepared ? prepared.reasons : prepared.filter(on)?.reasons;
}

describe('VolumeRestrictions', () => {
  const gce = (pdName: string, readOnly = false): Volume => ({ name: 'v', gcePersistentDisk: { pdName, readOnly } });
  const aws = (volumeID: string): Volume => ({ name: 'v', awsElasticBlockStore: { volumeID, readOnly: true } });
  const iscsi = (iqn: string, readOnly = false): Volume => ({ name: 'v', iscsi: { iqn, readOnly } });
  const rbd = (monitors: string[], readOnly = false): Volume => ({
    name: 'v',
    rbd: { monitors, pool: 'p', image: 'i', readOnly },
  });

  it.each([
    ['one GCE disk', gce('a'), gce('a'), true],
    ['one GCE disk, read', gce('a', true), gce('a', true), false],
    ['two GCE disks', gce('a'), gce('b'), false],
    ['one EBS disk, even read', aws('a'), aws('a'), true],
    ['one iSCSI target', iscsi('a'), iscsi('a', true), true],
    ['one iSCSI target, read', iscsi('a', true), iscsi('a', true), false],
    ['one RBD image by a common monitor', rbd(['a', 'b']), rbd(['b']), true],
    ['RBD images of other monitors', rbd(['a']), rbd(['b']), false],
    ['disks of different kinds', gce('a'), aws('a'), false],
  ])('two pods with %s on a node', (_what, first, second, conflicts) => {
    node.addPod(cluster.pod('p', first));
    const found = reasons(volumeRestrictions, cluster.pod('q', second));
    expect(found).toEqual(conflicts ? ['node(s) had no available disk'] : undefined);
  });

  it('lets one pod alone use a ReadWriteOncePod claim, on any node, until that pod goes', () => {
    cluster.claim('c', '1Gi', { spec: { accessModes: ['ReadWriteOncePod'] } });
    const [user, pod] = [cluster.pod('p', 'c'), cluster.pod('q', 'c')];
    expect(reasons(volumeRestrictions, pod)).toBeUndefined();
    cluster.node('n2').addPod(user);
    const filter = volumeRestrictions.prepare(pod, cluster.view) as PodFilter;
    expect(filter.filter(node)).toEqual({
      plugin: 'VolumeRestrictions',
      reasons: ['node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode'],
      isResolvable: true,
    });
    const without = filter.fork?.();
    without?.removePod(user, node);
    expect(without?.filter(node)).toBeUndefined();
    const again = without?.fork();
    again?.addPod(user, node);
    expect([again?.filter(node) === undefined, without?.filter(node)]).toEqual([false, undefined]);
  });

  it('needs the claims, and has nothing to say of others', () => {
    expect(reasons(volumeRestrictions, cluster.pod('p', 'c'))).toEqual(['persistentvolumeclaim "c" not found']);
    cluster.claim('c', '1Gi');
    expect(volumeRestrictions.prepare(cluster.pod('p', 'c'), cluster.view)).toBeUndefined();
  });
});

describe('VolumeZone', () => {
  const zoned = (zone: string) => {
    cluster.volume('pv', '1Gi', undefined, { metadata: { name: 'pv', labels: { [ZONE]: zone } } });
    cluster.claim('c', '1Gi');
    cluster.bindClaim('c', 'pv');
    return cluster.pod('p', 'c');
  };
  const plugin = () => volumeZone(cluster.names);

  it('keeps pods to the zones of their volumes', () => {
    const pod = zoned('a__b');
    const on = (zone: string) => reasons(plugin(), pod, cluster.node('n', { [ZONE]: zone }));
    expect([on('a'), on('b'), on('c')]).toEqual([undefined, undefined, ['node(s) had no available volume zone']]);
    expect(reasons(plugin(), pod)).toBeUndefined();
    const region = cluster.node('r', { 'topology.kubernetes.io/region': 'a' });
    expect(reasons(plugin(), pod, region)).toEqual(['node(s) had no available volume zone']);
  });

  it('ignores labels that are no list of zones', () => {
    expect(plugin().prepare(zoned('a__'), cluster.view)).toBeUndefined();
  });

  it('leaves claims alone that wait for a pod, and no others', () => {
    cluster.claim('c', '1Gi');
    const pod = cluster.pod('p', 'c');
    expect(reasons(plugin(), pod)).toEqual(['storageclass.storage.k8s.io "local" not found']);
    cluster.storageClass('local');
    expect(reasons(plugin(), pod)).toBeUndefined();
    cluster.storageClass('local', { volumeBindingMode: 'Immediate' });
    expect(reasons(plugin(), pod)).toEqual(['PersistentVolume had no name']);
    cluster.claim('c', '1Gi', { spec: { storageClassName: '' } });
    expect(reasons(plugin(), pod)).toEqual(['PersistentVolumeClaim had no pv name and storageClass name']);
    cluster.bindClaim('c', 'gone');
    expect(reasons(plugin(), pod)).toEqual(['persistentvolume "gone" not found']);
    expect(reasons(plugin(), cluster.pod('q', 'none'))).toEqual(['persistentvolumeclaim "none" not found']);
    expect(reasons(plugin(), cluster.pod('q', ''))).toEqual(['PersistentVolumeClaim had no name']);
  });
});

describe('limits of disks of clouds', () => {
  const plugin = (name: string, maxVolumes?: number) => {
    const host = { names: namesOf('kubernetes'), volumes: cluster.context(), ...(maxVolumes && { maxVolumes }) };
    return makePlugin(name, {} as PluginArgs, host) as FilterPlugin;
  };
  const disks = (from: number, to: number): Volume[] =>
    Array.from({ length: to - from }, (_, i) => ({ name: `v${i}`, gcePersistentDisk: { pdName: `d${from + i}` } }));

  it('count each disk once, with those of the pods that are there', () => {
    node.addPod(cluster.pod('p', ...disks(0, 15)));
    const gce = plugin('GCEPDLimits');
    expect(reasons(gce, cluster.pod('q', ...disks(14, 16)))).toBeUndefined();
    expect(reasons(gce, cluster.pod('q', ...disks(14, 17)))).toEqual(TOO_MANY);
    expect(reasons(plugin('EBSLimits'), cluster.pod('q', ...disks(14, 17)))).toBeUndefined();
    expect(reasons(plugin('GCEPDLimits', 17), cluster.pod('q', ...disks(14, 17)))).toBeUndefined();
  });

  it('are told by nodes, or follow from the type of the machine', () => {
    cluster.node('n1', {}, { 'attachable-volumes-gce-pd': '1' });
    expect(reasons(plugin('GCEPDLimits', 5), cluster.pod('q', ...disks(0, 2)))).toEqual(TOO_MANY);
    const ebs = Array.from({ length: 26 }, (_, i) => ({ name: `v${i}`, awsElasticBlockStore: { volumeID: `${i}` } }));
    const pod = cluster.pod('e', ...ebs);
    const nitro = cluster.node('n2', { 'node.kubernetes.io/instance-type': 'm5.large' });
    expect([reasons(plugin('EBSLimits'), pod), reasons(plugin('EBSLimits'), pod, nitro)]).toEqual([
      undefined,
      TOO_MANY,
    ]);
  });

  it('count claims by their volume, or by their class while they have none', () => {
    cluster.node('n1', {}, { 'attachable-volumes-gce-pd': '0' });
    const gce = plugin('GCEPDLimits');
    cluster.claim('c', '1Gi');
    expect(reasons(gce, cluster.pod('p', 'c'))).toBeUndefined();
    cluster.storageClass('local', { provisioner: 'kubernetes.io/gce-pd' });
    expect(reasons(gce, cluster.pod('p', 'c'))).toEqual(TOO_MANY);
    cluster.volume('pv', '1Gi', undefined, { spec: { awsElasticBlockStore: { volumeID: 'x' } } });
    cluster.bindClaim('c', 'pv');
    expect(reasons(gce, cluster.pod('p', 'c'))).toBeUndefined();
  });

  it('are those of drivers on nodes where these have taken the disks over', () => {
    cluster.node('n1', {}, { 'attachable-volumes-gce-pd': '0' });
    const pod = cluster.pod('p', ...disks(0, 1));
    const annotations = { [MIGRATED]: 'kubernetes.io/aws-ebs,kubernetes.io/gce-pd' };
    cluster.csiNodes.put('n1', { metadata: { name: 'n1', annotations } });
    expect(reasons(plugin('GCEPDLimits'), pod)).toBeUndefined();
    const drivers = [{ name: 'pd.csi.storage.gke.io', allocatable: { count: 0 } }];
    cluster.csiNodes.put('n1', { metadata: { name: 'n1', annotations }, spec: { drivers } });
    expect(reasons(csiLimits(cluster.names), pod)).toEqual(TOO_MANY);
  });

  it('are those of the driver on every node with a CSINode, for all disks but those of GCE', () => {
    const pod = cluster.pod('p', { name: 'v', awsElasticBlockStore: { volumeID: 'a' } });
    const limits = [{ name: 'ebs.csi.aws.com', allocatable: { count: 0 } }];
    cluster.csiNodes.put('n1', { metadata: { name: 'n1' }, spec: { drivers: limits } });
    cluster.node('n1', {}, { 'attachable-volumes-aws-ebs': '0', 'attachable-volumes-gce-pd': '0' });
    expect(reasons(plugin('EBSLimits'), pod)).toBeUndefined();
    expect(reasons(csiLimits(cluster.names), pod)).toEqual(TOO_MANY);
    expect(reasons(plugin('GCEPDLimits'), cluster.pod('q', ...disks(0, 1)))).toEqual(TOO_MANY);
  });

  it('cannot be told without the claims of the pod', () => {
    const filter = plugin('GCEPDLimits').prepare(cluster.pod('p', 'none'), cluster.view) as PodFilter;
    expect(() => filter.filter(node)).toThrow('looking up PVC ns/none: persistentvolumeclaim "none" not found');
    node.addPod(cluster.pod('running', 'none'));
    expect(reasons(plugin('GCEPDLimits'), cluster.pod('q', ...disks(0, 1)))).toBeUndefined();
  });
});

describe('limits of CSI drivers', () => {
  const DRIVER = 'csi.example.com';
  const plugin = () => csiLimits(cluster.names);
  const limited = (count: number, name = DRIVER) =>
    cluster.csiNodes.put('n1', { metadata: { name: 'n1' }, spec: { drivers: [{ name, allocatable: { count } }] } });
  const bound = (name: string, driver = DRIVER) => {
    cluster.volume(`pv-${name}`, '1Gi', undefined, { spec: { csi: { driver, volumeHandle: name } } });
    cluster.claim(name, '1Gi');
    cluster.bindClaim(name, `pv-${name}`);
    return name;
  };

  it('hold for the volumes of the driver, each counted once', () => {
    limited(2);
    const [a, b, c] = [bound('a'), bound('b'), bound('c')];
    node.addPod(cluster.pod('p', a, bound('other', 'other.example.com')));
    expect(reasons(plugin(), cluster.pod('q', a, b))).toBeUndefined();
    expect(reasons(plugin(), cluster.pod('q', b, c))).toEqual(TOO_MANY);
    expect(reasons(plugin(), cluster.pod('q', bound('d', 'other.example.com')))).toBeUndefined();
  });

  it('do not keep out pods that need no more, where a limit has fallen', () => {
    const a = bound('a');
    node.addPod(cluster.pod('p', a, bound('b')));
    limited(1);
    expect(reasons(plugin(), cluster.pod('q', a))).toBeUndefined();
  });

  it('hold for volumes that are yet to be made', () => {
    cluster.storageClass('local', { provisioner: DRIVER });
    cluster.claim('c', '1Gi');
    limited(0);
    expect(reasons(plugin(), cluster.pod('p', 'c'))).toEqual(TOO_MANY);
    limited(1);
    expect(reasons(plugin(), cluster.pod('p', 'c'))).toBeUndefined();
  });

  it('of long names are told by nodes under a short one', () => {
    const long = 'a-driver-with-a-very-long-name.storage.example.com';
    const name = bound('a', long);
    const pod = cluster.pod('p', name);
    expect(reasons(plugin(), pod)).toBeUndefined();
    // The first 23 characters, and 16 of the SHA-1 of all.
    cluster.node('n1', {}, { 'attachable-volumes-csi-a-driver-with-a-very-loe5fa08e5db36519b': '0' });
    expect(reasons(plugin(), pod)).toEqual(TOO_MANY);
  });
});
