import type { PluginMaker } from '../../plugin.js';
import { isAboutRequests, requireSignerRight, signerNameOf } from './signer-rights.js';

/** Certificate requests are approved and denied by who may `approve` for their signer. */
export const certificateApproval: PluginMaker = ({ names }) => ({
  name: 'CertificateApproval',
  readsOnly: true,
  // An authorizer may be a webhook.
  callsOut: true,
  handles: (target) => target.operation === 'UPDATE' && isAboutRequests(names, target, 'approval'),
  // The signer of the stored request counts: naming another one cannot bypass the check.
  validate: (attributes) =>
    requireSignerRight(names, attributes, 'approve', signerNameOf(attributes.oldObject), 'approve requests with'),
});
