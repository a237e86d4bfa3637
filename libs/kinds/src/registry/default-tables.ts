import type { Names } from '@orch/machinery';
import type { FeatureName, ResourceDefinition } from '@orch/schema';
import type { KindSettings } from '../rules/settings.js';

/** History of the defaults of a kind, through the releases. */
interface DefaultTables {
  /** Fingerprints of all tables of its defaults, the newest last. Tables are appended, and never changed. */
  readonly tables: readonly string[];
  /** Features with defaults of their own, up to four. */
  readonly features?: readonly FeatureName[];
}

/** Tables by canonical group and kind, for every kind with defaults. */
export const DEFAULT_TABLES: Readonly<Record<string, Readonly<Record<string, DefaultTables>>>> = {
  '': {
    Endpoints: { tables: ['e0971f815a0b'] },
    LimitRange: { tables: ['3e0a4d0a1692'] },
    Namespace: { tables: ['45fbdba23925'] },
    Node: { tables: ['44f1e5c40a89'] },
    PersistentVolume: { tables: ['401876df1565'] },
    PersistentVolumeClaim: { tables: ['231cb7f0e548'] },
    Pod: { tables: ['cf9ca8395f4e'], features: ['InPlacePodVerticalScaling'] },
    PodTemplate: { tables: ['3e8b4ba9dc0b'] },
    ReplicationController: { tables: ['290cacfcf2f2'] },
    ResourceQuota: { tables: ['463170143420'] },
    Secret: { tables: ['9ffeb960f762'] },
    Service: { tables: ['7ed71aa7a528'] },
  },
  'admissionregistration.orch.io': {
    MutatingWebhookConfiguration: { tables: ['133763c97409'] },
    ValidatingAdmissionPolicy: { tables: ['28b474bfbbce', '8bca25a46372'] },
    ValidatingAdmissionPolicyBinding: { tables: ['fe0c6729cd6f', 'ac018a26bb9b'] },
    ValidatingWebhookConfiguration: { tables: ['ec058814eb6c'] },
  },
  'apiextensions.orch.io': {
    CustomResourceDefinition: { tables: ['f3fa178f2be6'] },
  },
  'apiregistration.orch.io': {
    APIService: { tables: ['87d903a1b7cb'] },
  },
  apps: {
    DaemonSet: { tables: ['fee3d12dfd42', '4bedba399c8d'] },
    Deployment: { tables: ['39b33e0dea3d'] },
    ReplicaSet: { tables: ['3ecc5dbba37f'] },
    StatefulSet: { tables: ['73a2cd11f234'], features: ['MaxUnavailableStatefulSet', 'StatefulSetAutoDeletePVC'] },
  },
  autoscaling: {
    HorizontalPodAutoscaler: { tables: ['a782337951d1'] },
  },
  batch: {
    CronJob: { tables: ['69d334d7b144'] },
    Job: { tables: ['9592145e4258'] },
  },
  'discovery.orch.io': {
    EndpointSlice: { tables: ['1048b9e7ff9e'] },
  },
  'flowcontrol.apiserver.orch.io': {
    FlowSchema: { tables: ['a216f69a5a2b'] },
    PriorityLevelConfiguration: { tables: ['6816f35912e5'] },
  },
  'networking.orch.io': {
    IngressClass: { tables: ['c74993fb429b'] },
    NetworkPolicy: { tables: ['31cd5974262b'] },
  },
  'node.orch.io': {
    RuntimeClass: { tables: ['2d38b81f7594'] },
  },
  'rbac.authorization.orch.io': {
    ClusterRoleBinding: { tables: ['db357c8cf79e'] },
    RoleBinding: { tables: ['40de45287236'] },
  },
  'resource.orch.io': {
    ResourceClaim: { tables: ['2962715de2b9'] },
    ResourceClaimTemplate: { tables: ['3359efb7fea9'] },
  },
  'scheduling.orch.io': {
    PriorityClass: { tables: ['a48d85f61239'] },
  },
  'storage.orch.io': {
    CSIDriver: { tables: ['0c3101b0b93e'], features: ['SELinuxMountReadWriteOncePod'] },
    StorageClass: { tables: ['7d4670001a2a'] },
    VolumeAttachment: { tables: ['61ad778c2142'] },
  },
};

/**
 * Returns the tables of a kind; undefined for a kind without defaults.
 * @param hub version in which its objects are validated
 */
export function defaultTables(hub: ResourceDefinition, names: Names): DefaultTables | undefined {
  const group = Object.keys(DEFAULT_TABLES).find((canonical) => names.group(canonical) === hub.group);
  const kinds = group === undefined ? {} : (DEFAULT_TABLES[group] ?? {});
  return Object.hasOwn(kinds, hub.kind) ? kinds[hub.kind] : undefined;
}

/** Number of bits for the state of features. */
const FEATURE_BITS = 4;

/**
 * Returns the number of the defaults of a kind, which is stored with its objects: equal for equal defaults, 0 for none,
 * up to 32767.
 * @param hub version in which its objects are validated
 */
export function defaultsNumber(hub: ResourceDefinition, names: Names, { features }: KindSettings): number {
  const known = defaultTables(hub, names);
  if (!known) return 0;
  return (known.features ?? []).reduce(
    (number, name, at) => number + (features.enabled(name) ? 1 << at : 0),
    known.tables.length << FEATURE_BITS,
  );
}
