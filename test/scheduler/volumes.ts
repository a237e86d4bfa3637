import { NAMESPACES } from './random-pods.js';

type Part = Readonly<Record<string, unknown>>;

/** What a claim is like, by its name. */
interface ClaimKind {
  readonly accessMode?: string;
  readonly storageClassName?: string;
  /** Of the volume that it is bound to; absent for a claim that is not bound. */
  readonly volume?: { readonly labels?: Part; readonly spec?: Part };
}

const inZone = (zone: string): Part => ({
  nodeAffinity: {
    required: {
      nodeSelectorTerms: [
        { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: [zone] }] },
      ],
    },
  },
});
const csi = (volumeHandle: string): Part => ({ csi: { driver: 'csi.test', volumeHandle } });

/** A claim that one pod alone may use; the reference takes one of its name in another namespace for the same. */
export const FOR_ONE_POD = { namespace: 'near', name: 'one-pod' } as const;

/** Claims in each namespace. */
const CLAIMS: Readonly<Record<string, ClaimKind>> = {
  'near-z1': { volume: { spec: inZone('z1') } },
  'near-z2': { volume: { spec: inZone('z2') } },
  'label-z1': { volume: { labels: { 'topology.kubernetes.io/zone': 'z1' } } },
  'label-z2-z3': { volume: { labels: { 'topology.kubernetes.io/zone': 'z2__z3' } } },
  [FOR_ONE_POD.name]: { accessMode: 'ReadWriteOncePod', volume: {} },
  'csi-a': { volume: { spec: csi('a') } },
  'csi-b': { volume: { spec: csi('b') } },
  'csi-c': { volume: { spec: csi('c') } },
  unbound: {},
  late: { storageClassName: 'late' },
};

/** Names of claims that pods may use; one is missing. */
export const CLAIM_NAMES: readonly string[] = [...Object.keys(CLAIMS), 'missing'];

const CAPACITY = { storage: '1Gi' };

function claim(
  namespace: string,
  name: string,
  { accessMode = 'ReadWriteOnce', storageClassName = '', volume }: ClaimKind,
): Part {
  return {
    metadata: { name, namespace, ...(volume && { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }) },
    spec: {
      ...{ accessModes: [accessMode], storageClassName, resources: { requests: CAPACITY } },
      ...(volume && { volumeName: `${namespace}-${name}` }),
    },
  };
}

function volume(namespace: string, name: string, { accessMode = 'ReadWriteOnce', volume = {} }: ClaimKind): Part {
  return {
    metadata: { name: `${namespace}-${name}`, labels: volume.labels ?? {} },
    spec: {
      ...{ capacity: CAPACITY, accessModes: [accessMode] },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name },
      ...(volume.spec?.csi ? {} : { hostPath: { path: '/tmp' } }),
      ...volume.spec,
    },
  };
}

const claimsIn = (namespace: string) =>
  Object.entries(CLAIMS).filter(([name]) => name !== FOR_ONE_POD.name || namespace === FOR_ONE_POD.namespace);

/** What pods with volumes need, with the path of each; nodes attach at most two volumes of a driver. */
export function volumeObjects(nodes: readonly string[]): readonly (readonly [path: string, object: Part])[] {
  const storage = '/apis/storage.k8s.io/v1';
  const late = {
    metadata: { name: 'late' },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
  };
  const perClaim = NAMESPACES.flatMap((namespace) =>
    claimsIn(namespace).flatMap(([name, kind]) => [
      ...(kind.volume ? [['/api/v1/persistentvolumes', volume(namespace, name, kind)] as const] : []),
      [`/api/v1/namespaces/${namespace}/persistentvolumeclaims`, claim(namespace, name, kind)] as const,
    ]),
  );
  const drivers = nodes.map((name) => {
    const driver = { name: 'csi.test', nodeID: name, topologyKeys: [], allocatable: { count: 2 } };
    return [`${storage}/csinodes`, { metadata: { name }, spec: { drivers: [driver] } }] as const;
  });
  return [[`${storage}/storageclasses`, late], ...perClaim, ...drivers];
}
