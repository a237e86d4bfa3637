import { certificateApproval } from './certificate-approval.js';
import { certificateSigning } from './certificate-signing.js';
import { certificateSubjectRestriction } from './certificate-subject-restriction.js';
import { clusterTrustBundleAttest } from './cluster-trust-bundle-attest.js';
import type { PluginMaker } from './plugin.js';
import { resourceQuota } from './resource-quota.js';

/** A plugin as options name it. */
export interface PluginEntry {
  readonly name: string;
  readonly onByDefault: boolean;
  /** Undefined for one that is not built: options know it no more than any other name. */
  readonly make: PluginMaker | undefined;
}

const on = (name: string, make?: PluginMaker): PluginEntry => ({ name, onByDefault: true, make });
const off = (name: string, make?: PluginMaker): PluginEntry => ({ name, onByDefault: false, make });

/** Every plugin, in the order in which they are asked, each a file of its own beside this one. */
const TABLE: readonly PluginEntry[] = [
  off('AlwaysAdmit'),
  off('NamespaceAutoProvision'),
  on('NamespaceLifecycle'),
  off('NamespaceExists'),
  off('SecurityContextDeny'),
  off('LimitPodHardAntiAffinityTopology'),
  on('LimitRanger'),
  on('ServiceAccount'),
  off('NodeRestriction'),
  on('TaintNodesByCondition'),
  off('AlwaysPullImages'),
  off('ImagePolicyWebhook'),
  on('PodSecurity'),
  off('PodNodeSelector'),
  on('Priority'),
  on('DefaultTolerationSeconds'),
  off('PodTolerationRestriction'),
  off('EventRateLimit'),
  off('ExtendedResourceToleration'),
  off('PersistentVolumeLabel'),
  on('DefaultStorageClass'),
  on('StorageObjectInUseProtection'),
  off('OwnerReferencesPermissionEnforcement'),
  on('PersistentVolumeClaimResize'),
  on('RuntimeClass'),
  on('CertificateApproval', certificateApproval),
  on('CertificateSigning', certificateSigning),
  on('ClusterTrustBundleAttest', clusterTrustBundleAttest),
  on('CertificateSubjectRestriction', certificateSubjectRestriction),
  on('DefaultIngressClass'),
  off('DenyServiceExternalIPs'),
  // Behind everything that may change an object.
  on('MutatingAdmissionWebhook'),
  on('ValidatingAdmissionPolicy'),
  on('ValidatingAdmissionWebhook'),
  on('ResourceQuota', resourceQuota),
  off('AlwaysDeny'),
];

/** A plugin that is built. */
export type BuiltPlugin = PluginEntry & { readonly make: PluginMaker };

const isBuilt = (entry: PluginEntry): entry is BuiltPlugin => entry.make !== undefined;

/** Every plugin that there is, in the order in which they are asked. */
export const PLUGINS: readonly BuiltPlugin[] = TABLE.filter(isBuilt);
