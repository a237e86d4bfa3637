import type { NamingProfile } from '@orch/machinery';
import type { PluginMaker } from './plugin.js';
import { alwaysAdmit } from './plugins/always-admit.js';
import { alwaysDeny } from './plugins/always-deny.js';
import { certificateApproval } from './plugins/certificates/certificate-approval.js';
import { certificateSigning } from './plugins/certificates/certificate-signing.js';
import { certificateSubjectRestriction } from './plugins/certificates/certificate-subject-restriction.js';
import { clusterTrustBundleAttest } from './plugins/certificates/cluster-trust-bundle-attest.js';
import { eventRateLimit } from './plugins/limits/event-rate-limit.js';
import { limitRanger } from './plugins/limits/limit-ranger.js';
import { resourceQuota } from './plugins/limits/resource-quota.js';
import { namespaceAutoProvision } from './plugins/namespaces/namespace-auto-provision.js';
import { namespaceExists } from './plugins/namespaces/namespace-exists.js';
import { namespaceLifecycle } from './plugins/namespaces/namespace-lifecycle.js';
import { defaultIngressClass } from './plugins/networking/default-ingress-class.js';
import { denyServiceExternalIps } from './plugins/networking/deny-service-external-ips.js';
import { nodeRestriction } from './plugins/nodes/node-restriction.js';
import { taintNodesByCondition } from './plugins/nodes/taint-nodes-by-condition.js';
import { ownerReferencesPermissionEnforcement } from './plugins/owner-references-permission-enforcement.js';
import { alwaysPullImages } from './plugins/pods/always-pull-images.js';
import { defaultTolerationSeconds } from './plugins/pods/default-toleration-seconds.js';
import { extendedResourceToleration } from './plugins/pods/extended-resource-toleration.js';
import { imagePolicyWebhook } from './plugins/pods/image-policy-webhook.js';
import { limitPodHardAntiAffinityTopology } from './plugins/pods/limit-pod-hard-anti-affinity-topology.js';
import { podNodeSelector } from './plugins/pods/pod-node-selector.js';
import { podTolerationRestriction } from './plugins/pods/pod-toleration-restriction.js';
import { priority } from './plugins/pods/priority.js';
import { runtimeClass } from './plugins/pods/runtime-class.js';
import { securityContextDeny } from './plugins/pods/security-context-deny.js';
import { serviceAccount } from './plugins/pods/service-account.js';
import { defaultStorageClass } from './plugins/storage/default-storage-class.js';
import { persistentVolumeClaimResize } from './plugins/storage/persistent-volume-claim-resize.js';
import { persistentVolumeLabel } from './plugins/storage/persistent-volume-label.js';
import { storageObjectInUseProtection } from './plugins/storage/storage-object-in-use-protection.js';
import { podSecurity } from './pod-security/index.js';
import { validatingAdmissionPolicies } from './policy/validating-admission-policy.js';
import { mutatingWebhooks } from './webhook/mutating-webhooks.js';
import { validatingWebhooks } from './webhook/validating-webhooks.js';

/** A plugin as options name it. */
export interface PluginEntry {
  /** Name as in the options. */
  readonly name: string;
  /** Whether it is enabled by default: always, never, or in installations of one naming profile. */
  readonly onByDefault: boolean | NamingProfile;
  /** Whether naming it in an option causes a warning, as it no longer has any effect. Default false. */
  readonly deprecated?: boolean;
  /** Makes the plugin; undefined for one that is not implemented, which options treat as an unknown name. */
  readonly make: PluginMaker | undefined;
}

const on = (name: string, make?: PluginMaker): PluginEntry => ({ name, onByDefault: true, make });
const off = (name: string, make?: PluginMaker): PluginEntry => ({ name, onByDefault: false, make });

/** Every plugin, in the order in which they are called, each in a file of its own. */
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
  // A rule about a field itself, which Kubernetes leaves to administrators to enable.
  { ...off('OwnerReferencesPermissionEnforcement', ownerReferencesPermissionEnforcement), onByDefault: 'orch' },
  on('PersistentVolumeClaimResize', persistentVolumeClaimResize),
  on('RuntimeClass', runtimeClass),
  on('CertificateApproval', certificateApproval),
  on('CertificateSigning', certificateSigning),
  on('ClusterTrustBundleAttest', clusterTrustBundleAttest),
  on('CertificateSubjectRestriction', certificateSubjectRestriction),
  on('DefaultIngressClass', defaultIngressClass),
  off('DenyServiceExternalIPs', denyServiceExternalIps),
  // After every plugin that may change an object.
  on('MutatingAdmissionWebhook', mutatingWebhooks),
  on('ValidatingAdmissionPolicy', validatingAdmissionPolicies),
  on('ValidatingAdmissionWebhook', validatingWebhooks),
  on('ResourceQuota', resourceQuota),
  { ...off('AlwaysDeny', alwaysDeny), deprecated: true },
];

/** A plugin that is implemented. */
export type BuiltPlugin = PluginEntry & { readonly make: PluginMaker };

const isBuilt = (entry: PluginEntry): entry is BuiltPlugin => entry.make !== undefined;

/** Every implemented plugin, in the order in which they are called. */
export const PLUGINS: readonly BuiltPlugin[] = TABLE.filter(isBuilt);
