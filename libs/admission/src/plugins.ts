import type { NamingProfile } from '@orch/machinery';
import { alwaysAdmit } from './always-admit.js';
import { alwaysDeny } from './always-deny.js';
import { alwaysPullImages } from './always-pull-images.js';
import { certificateApproval } from './certificate-approval.js';
import { certificateSigning } from './certificate-signing.js';
import { certificateSubjectRestriction } from './certificate-subject-restriction.js';
import { clusterTrustBundleAttest } from './cluster-trust-bundle-attest.js';
import { defaultIngressClass } from './default-ingress-class.js';
import { defaultStorageClass } from './default-storage-class.js';
import { defaultTolerationSeconds } from './default-toleration-seconds.js';
import { denyServiceExternalIps } from './deny-service-external-ips.js';
import { eventRateLimit } from './event-rate-limit.js';
import { extendedResourceToleration } from './extended-resource-toleration.js';
import { imagePolicyWebhook } from './image-policy-webhook.js';
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.js';
import { limitRanger } from './limit-ranger.js';
import { namespaceAutoProvision } from './namespace-auto-provision.js';
import { namespaceExists } from './namespace-exists.js';
import { namespaceLifecycle } from './namespace-lifecycle.js';
import { nodeRestriction } from './node-restriction.js';
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.js';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.js';
import { persistentVolumeLabel } from './persistent-volume-label.js';
import type { PluginMaker } from './plugin.js';
import { podNodeSelector } from './pod-node-selector.js';
import { podSecurity } from './pod-security/index.js';
import { podTolerationRestriction } from './pod-toleration-restriction.js';
import { validatingAdmissionPolicies } from './policy/validating-admission-policy.js';
import { priority } from './priority.js';
import { resourceQuota } from './resource-quota.js';
import { runtimeClass } from './runtime-class.js';
import { securityContextDeny } from './security-context-deny.js';
import { serviceAccount } from './service-account.js';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.js';
import { taintNodesByCondition } from './taint-nodes-by-condition.js';
import { mutatingWebhooks } from './webhook/mutating-webhooks.js';
import { validatingWebhooks } from './webhook/validating-webhooks.js';

/** A plugin as options name it. */
export interface PluginEntry {
  /** As options name it. */
  readonly name: string;
  /** Whether it is asked unless options say otherwise: always, never, or in installations of one naming. */
  readonly onByDefault: boolean | NamingProfile;
  /** Whoever names it is told that it means nothing any more. Default false. */
  readonly deprecated?: boolean;
  /** Undefined for one that is not built: options know it no more than any other name. */
  readonly make: PluginMaker | undefined;
}

const on = (name: string, make?: PluginMaker): PluginEntry => ({ name, onByDefault: true, make });
const off = (name: string, make?: PluginMaker): PluginEntry => ({ name, onByDefault: false, make });

/** Every plugin, in the order in which they are asked, each a file of its own beside this one. */
const TABLE: readonly PluginEntry[] = [
  { ...off('AlwaysAdmit', alwaysAdmit), deprecated: true },
  off('NamespaceAutoProvision', namespaceAutoProvision),
  on('NamespaceLifecycle', namespaceLifecycle),
  off('NamespaceExists', namespaceExists),
  off('SecurityContextDeny', securityContextDeny),
  off('LimitPodHardAntiAffinityTopology', limitPodHardAntiAffinityTopology),
  on('LimitRanger', limitRanger),
  on('ServiceAccount', serviceAccount),
  // Off in the reference: there, --authorization-mode=Node alone lets each node act for all others.
  on('NodeRestriction', nodeRestriction),
  on('TaintNodesByCondition', taintNodesByCondition),
  off('AlwaysPullImages', alwaysPullImages),
  off('ImagePolicyWebhook', imagePolicyWebhook),
  on('PodSecurity', podSecurity),
  off('PodNodeSelector', podNodeSelector),
  on('Priority', priority),
  on('DefaultTolerationSeconds', defaultTolerationSeconds),
  off('PodTolerationRestriction', podTolerationRestriction),
  off('EventRateLimit', eventRateLimit),
  off('ExtendedResourceToleration', extendedResourceToleration),
  off('PersistentVolumeLabel', persistentVolumeLabel),
  on('DefaultStorageClass', defaultStorageClass),
  on('StorageObjectInUseProtection', storageObjectInUseProtection),
  // A rule of the field itself, which Kubernetes leaves to whoever configures it.
  { ...off('OwnerReferencesPermissionEnforcement', ownerReferencesPermissionEnforcement), onByDefault: 'orch' },
  on('PersistentVolumeClaimResize', persistentVolumeClaimResize),
  on('RuntimeClass', runtimeClass),
  on('CertificateApproval', certificateApproval),
  on('CertificateSigning', certificateSigning),
  on('ClusterTrustBundleAttest', clusterTrustBundleAttest),
  on('CertificateSubjectRestriction', certificateSubjectRestriction),
  on('DefaultIngressClass', defaultIngressClass),
  off('DenyServiceExternalIPs', denyServiceExternalIps),
  // Behind everything that may change an object.
  on('MutatingAdmissionWebhook', mutatingWebhooks),
  on('ValidatingAdmissionPolicy', validatingAdmissionPolicies),
  on('ValidatingAdmissionWebhook', validatingWebhooks),
  on('ResourceQuota', resourceQuota),
  { ...off('AlwaysDeny', alwaysDeny), deprecated: true },
];

/** A plugin that is built. */
export type BuiltPlugin = PluginEntry & { readonly make: PluginMaker };

const isBuilt = (entry: PluginEntry): entry is BuiltPlugin => entry.make !== undefined;

/** Every plugin that there is, in the order in which they are asked. */
export const PLUGINS: readonly BuiltPlugin[] = TABLE.filter(isBuilt);
