import type { Names } from '@orch/machinery';
import type { ResourceDefinition } from '@orch/schema';
import * as admission from '../admissionregistration/validating-admission-policy.js';
import { webhookConfiguration } from '../admissionregistration/webhook-configuration.js';
import { customResourceDefinition, servedDefinition } from '../apiextensions/custom-resource-definition.js';
import { apiService } from '../apiregistration/api-service.js';
import { controllerRevision } from '../apps/controller-revision.js';
import { daemonSet } from '../apps/daemon-set.js';
import { deployment } from '../apps/deployment.js';
import { replicaSet } from '../apps/replica-set.js';
import { statefulSet } from '../apps/stateful-set.js';
import { horizontalPodAutoscalerV1, horizontalPodAutoscalerV2 } from '../autoscaling/horizontal-pod-autoscaler.js';
import { cronJob } from '../batch/cron-job.js';
import { job } from '../batch/job.js';
import { certificateSigningRequest } from '../certificates/certificate-signing-request.js';
import { clusterTrustBundle } from '../certificates/cluster-trust-bundle.js';
import { lease } from '../coordination/lease.js';
import { componentStatus } from '../core/component-status.js';
import { configMap } from '../core/config-map.js';
import { endpoints } from '../core/endpoints.js';
import { event as coreEvent } from '../core/event.js';
import { limitRange } from '../core/limit-range.js';
import { namespace } from '../core/namespace.js';
import { node } from '../core/node.js';
import { persistentVolume } from '../core/persistent-volume.js';
import { persistentVolumeClaim } from '../core/persistent-volume-claim.js';
import { pod } from '../core/pod.js';
import { podTemplate } from '../core/pod-template.js';
import { replicationController } from '../core/replication-controller.js';
import { resourceQuota } from '../core/resource-quota.js';
import { secret } from '../core/secret.js';
import { service } from '../core/service.js';
import { serviceAccount } from '../core/service-account.js';
import { endpointSlice } from '../discovery/endpoint-slice.js';
import { event } from '../events/event.js';
import { flowSchema } from '../flowcontrol/flow-schema.js';
import { priorityLevelConfiguration } from '../flowcontrol/priority-level-configuration.js';
import { storageVersion } from '../internal/storage-version.js';
import { clusterCidr } from '../networking/cluster-cidr.js';
import { ingress } from '../networking/ingress.js';
import { ingressClass } from '../networking/ingress-class.js';
import { ipAddress } from '../networking/ip-address.js';
import { networkPolicy } from '../networking/network-policy.js';
import { runtimeClass } from '../node/runtime-class.js';
import { podDisruptionBudget } from '../policy/pod-disruption-budget.js';
import { role } from '../rbac/role.js';
import { roleBinding } from '../rbac/role-binding.js';
import { resourceClaim } from '../resource/resource-claim.js';
import * as resource from '../resource/resource-kinds.js';
import { deriveRules } from '../rules/derive.js';
import type { KindDeclaration, KindRules } from '../rules/kind-rules.js';
import { type KindSettings, STANDARD_SETTINGS } from '../rules/settings.js';
import { priorityClass } from '../scheduling/priority-class.js';
import { csiDriver } from '../storage/csi-driver.js';
import { csiNode } from '../storage/csi-node.js';
import { csiStorageCapacity } from '../storage/csi-storage-capacity.js';
import { storageClass } from '../storage/storage-class.js';
import { volumeAttachment } from '../storage/volume-attachment.js';

/** The declaration of a kind whose objects have any one type. */
type Typed = KindDeclaration<never>;
/** A function where settings or the version matter. */
type Declared = Typed | ((settings: KindSettings, version: string) => Typed);
type GroupKinds = Readonly<Record<string, Declared>>;

/** The built-in kinds, by canonical group. */
const KINDS: Readonly<Record<string, GroupKinds>> = {
  '': {
    // Virtual: it operates on a pod and is never stored.
    Binding: { nameRule: 'pathSegment' },
    ComponentStatus: componentStatus,
    ConfigMap: configMap,
    Endpoints: endpoints,
    Event: coreEvent,
    LimitRange: limitRange,
    Namespace: namespace,
    Node: node,
    PersistentVolume: persistentVolume,
    PersistentVolumeClaim: persistentVolumeClaim,
    Pod: pod,
    PodTemplate: podTemplate,
    ReplicationController: replicationController,
    ResourceQuota: resourceQuota,
    Secret: secret,
    Service: service,
    ServiceAccount: serviceAccount,
  },
  'admissionregistration.orch.io': {
    MutatingWebhookConfiguration: webhookConfiguration,
    ValidatingWebhookConfiguration: webhookConfiguration,
    ValidatingAdmissionPolicy: admission.validatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding: admission.validatingAdmissionPolicyBinding,
  },
  'apiextensions.orch.io': {
    CustomResourceDefinition: (settings) =>
      settings.customKinds ? servedDefinition(settings) : customResourceDefinition(settings),
  },
  'apiregistration.orch.io': { APIService: apiService },
  apps: {
    ControllerRevision: controllerRevision,
    DaemonSet: daemonSet,
    Deployment: deployment,
    ReplicaSet: replicaSet,
    StatefulSet: statefulSet,
  },
  'authentication.orch.io': { TokenReview: {}, SelfSubjectReview: {} },
  'authorization.orch.io': {
    LocalSubjectAccessReview: {},
    SelfSubjectAccessReview: {},
    SelfSubjectRulesReview: {},
    SubjectAccessReview: {},
  },
  autoscaling: {
    HorizontalPodAutoscaler: (settings, version) =>
      version === 'v1' ? horizontalPodAutoscalerV1 : horizontalPodAutoscalerV2(settings),
  },
  batch: { CronJob: cronJob, Job: job },
  'certificates.orch.io': {
    CertificateSigningRequest: certificateSigningRequest,
    ClusterTrustBundle: clusterTrustBundle,
  },
  'coordination.orch.io': { Lease: lease },
  'discovery.orch.io': { EndpointSlice: endpointSlice },
  'events.orch.io': { Event: event },
  'flowcontrol.apiserver.orch.io': {
    FlowSchema: flowSchema,
    PriorityLevelConfiguration: priorityLevelConfiguration,
  },
  'internal.apiserver.orch.io': { StorageVersion: storageVersion },
  'networking.orch.io': {
    ClusterCIDR: clusterCidr,
    IPAddress: ipAddress,
    Ingress: ingress,
    IngressClass: ingressClass,
    NetworkPolicy: networkPolicy,
  },
  'node.orch.io': { RuntimeClass: runtimeClass },
  policy: { PodDisruptionBudget: podDisruptionBudget },
  'rbac.authorization.orch.io': {
    ClusterRole: role(false),
    ClusterRoleBinding: roleBinding(false),
    Role: role(true),
    RoleBinding: roleBinding(true),
  },
  'resource.orch.io': {
    PodSchedulingContext: resource.podSchedulingContext,
    ResourceClaim: resourceClaim,
    ResourceClaimTemplate: resource.resourceClaimTemplate,
    ResourceClass: resource.resourceClass,
  },
  'scheduling.orch.io': { PriorityClass: priorityClass },
  'storage.orch.io': {
    CSIDriver: csiDriver,
    CSINode: csiNode,
    CSIStorageCapacity: csiStorageCapacity,
    StorageClass: storageClass,
    VolumeAttachment: volumeAttachment,
  },
};

/**
 * Returns the rules of a built-in kind, made once for each served definition.
 * @throws Error for a kind without a declaration
 */
export function kindRules(
  definition: ResourceDefinition,
  names: Names,
  settings: KindSettings = STANDARD_SETTINGS,
): KindRules {
  const declaration = declarationOf(definition, names, settings);
  if (!declaration) throw new Error(`${definition.kind} of group ${JSON.stringify(definition.group)} is not declared`);
  return deriveRules(definition, declaration, names, settings);
}

/** The declaration of a built-in kind; undefined for other kinds. */
export function declarationOf(
  definition: ResourceDefinition,
  names: Names,
  settings: KindSettings = STANDARD_SETTINGS,
): KindDeclaration | undefined {
  const group = Object.keys(KINDS).find((canonical) => names.group(canonical) === definition.group);
  const kinds = group === undefined ? undefined : KINDS[group];
  if (!kinds || !Object.hasOwn(kinds, definition.kind)) return undefined;
  const declared = kinds[definition.kind];
  const typed = typeof declared === 'function' ? declared(settings, definition.version) : declared;
  // The one place where the types of objects are let go: what comes here has been read as an object of this kind.
  return typed as KindDeclaration | undefined;
}
