import type { Random } from './random.js';

type Part = Readonly<Record<string, unknown>>;

const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const ZONES = ['z1', 'z2', 'z3'] as const;
const CLASSES = ['local', 'made', 'zoned', 'counted', 'now', 'none', 'ebs'] as const;
const SIZES = ['1Gi', '2Gi', '3Gi', '5Gi'] as const;
const MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany'] as const;
const DRIVER = 'csi.example.com';
const COUNTED = 'counted.example.com';
const MIGRATED = 'storage.alpha.kubernetes.io/migrated-plugins';

/** Objects that volumes of all snapshots share. */
export const STORAGE: readonly (readonly [path: string, object: Part])[] = [
  ...[
    ['local', 'kubernetes.io/no-provisioner'],
    ['made', DRIVER],
    ['zoned', DRIVER],
    ['counted', COUNTED],
    ['now', DRIVER],
    ['ebs', 'kubernetes.io/aws-ebs'],
  ].map(([name = '', provisioner]): readonly [string, Part] => [
    'storageclasses',
    {
      metadata: { name },
      provisioner,
      volumeBindingMode: name === 'now' ? 'Immediate' : 'WaitForFirstConsumer',
      ...(name === 'zoned' && {
        allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ['z1', 'z2'] }] }],
      }),
    },
  ]),
  ['csidrivers', { metadata: { name: COUNTED }, spec: { storageCapacity: true } }],
];

/** A node with its CSINode, where it has one. */
export function randomVolumeNode(random: Random, name: string): { readonly node: Part; readonly csiNode?: Part } {
  const allocatable = {
    ...{ cpu: '10', memory: '20Gi', pods: '50' },
    ...random.maybe(0.3, () => ({ 'attachable-volumes-aws-ebs': String(random.between(0, 2)) })),
  };
  const labels = { [HOSTNAME]: name, ...random.maybe(0.8, () => ({ [ZONE]: random.pick(ZONES) })) };
  const node = { metadata: { name, labels }, status: { allocatable, capacity: allocatable } };
  if (random.chance(0.3)) return { node };
  const annotations = random.maybe(0.5, () => ({ [MIGRATED]: 'kubernetes.io/aws-ebs' }));
  const driver = (of: string) => ({ name: of, nodeID: name, allocatable: { count: random.between(0, 3) } });
  const drivers = random.some([DRIVER, COUNTED, 'ebs.csi.aws.com'], 0.6).map(driver);
  return { node, csiNode: { metadata: { name, annotations }, spec: { drivers } } };
}

/** Storage that is left in the zones. */
export const randomCapacities = (random: Random): readonly Part[] =>
  random.many(1, 4, () => ({
    metadata: { generateName: 'c-' },
    storageClassName: 'counted',
    nodeTopology: { matchLabels: { [ZONE]: random.pick(ZONES) } },
    capacity: random.pick(SIZES),
    ...random.maybe(0.3, () => ({ maximumVolumeSize: random.pick(SIZES) })),
  }));

/** A volume and its phase. */
export function randomVolume(random: Random, name: string, at: number, nodes: readonly string[]): Part {
  const className = random.pick(['local', 'local', 'made', 'none', 'ebs']);
  const zones = random.maybe(0.2, () => ({ [ZONE]: random.pick(['z1', 'z2', 'z1__z2']) }));
  return {
    metadata: { name, labels: { tier: random.pick(['gold', 'iron']), ...zones } },
    spec: {
      // No two are equal: the reference takes any of those.
      capacity: { storage: `${random.between(1, 6) * 1024 + at}Mi` },
      accessModes: random.chance(0.5) ? ['ReadWriteOnce'] : [...MODES],
      ...(className !== 'none' && { storageClassName: className }),
      ...random.maybe(0.15, () => ({ volumeMode: 'Block' })),
      ...random.maybe(0.7, () => ({ nodeAffinity: { required: { nodeSelectorTerms: [term(random, nodes)] } } })),
      ...(className === 'ebs'
        ? { awsElasticBlockStore: { volumeID: `vol-${name}` } }
        : { csi: { driver: DRIVER, volumeHandle: name } }),
    },
    status: { phase: random.chance(0.85) ? 'Available' : random.pick(['Pending', 'Released']) },
  };
}

function term(random: Random, nodes: readonly string[]): Part {
  const byZone = { key: ZONE, operator: random.pick(['In', 'NotIn']), values: random.pick([['z1'], ['z2', 'z3']]) };
  const byHost = {
    key: HOSTNAME,
    operator: 'In',
    values: random.chance(0.8) ? [random.pick(nodes)] : nodes.slice(0, 2),
  };
  return { matchExpressions: random.pick([[byZone], [byHost], [byHost], [byZone, byHost]]) };
}

/** A claim; undefined for a class that is none of the existing ones. */
export function randomClaim(random: Random, name: string): Part {
  const className = random.chance(0.05) ? 'unknown' : random.pick(CLASSES);
  return {
    metadata: { name },
    spec: {
      accessModes: [random.chance(0.15) ? 'ReadWriteOncePod' : random.pick(MODES)],
      storageClassName: className === 'none' ? '' : className,
      resources: { requests: { storage: random.pick(SIZES) } },
      ...random.maybe(0.15, () => ({ volumeMode: 'Block' })),
      ...random.maybe(0.2, () => ({ selector: { matchLabels: { tier: random.pick(['gold', 'iron']) } } })),
    },
  };
}

/** Volumes of a pod: claims, one that may not exist, and disks. */
export function randomPodVolumes(random: Random, claims: readonly string[]): readonly Part[] {
  const sources = random.many(1, 3, (): Part => {
    if (random.chance(0.75)) return { persistentVolumeClaim: { claimName: random.pick(claims) } };
    if (random.chance(0.1)) return { persistentVolumeClaim: { claimName: 'absent' } };
    if (random.chance(0.1)) return { ephemeral: { volumeClaimTemplate: { spec: randomClaim(random, '').spec } } };
    const readOnly = random.chance(0.5);
    return random.pick<Part>([
      { awsElasticBlockStore: { volumeID: random.pick(['a', 'b']), readOnly } },
      { gcePersistentDisk: { pdName: random.pick(['a', 'b']), readOnly } },
      {
        iscsi: {
          iqn: random.pick(['iqn.2001-04.com.example:a', 'iqn.2001-04.com.example:b']),
          targetPortal: '1.2.3.4',
          lun: 0,
          readOnly,
        },
      },
      { rbd: { monitors: random.pick([['m1'], ['m1', 'm2'], ['m2']]), image: 'i', pool: 'p', readOnly } },
    ]);
  });
  return sources.map((source, at) => ({ name: `v${at}`, ...source }));
}
