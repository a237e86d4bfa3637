import { certificateApproval } from './certificate-approval.js';
import { certificateSigning } from './certificate-signing.js';
import { certificateSubjectRestriction } from './certificate-subject-restriction.js';
import { clusterTrustBundleAttest } from './cluster-trust-bundle-attest.js';
import type { PluginMaker } from './plugin.js';

/** Every plugin, in the order in which they are asked, each a file of its own beside this one. */
export const PLUGINS: readonly PluginMaker[] = [
  certificateApproval,
  certificateSigning,
  clusterTrustBundleAttest,
  certificateSubjectRestriction,
];
