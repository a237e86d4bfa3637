import type { PluginMaker } from '../../plugin.js';
import { isAboutRequests, requireSignerRight, signerNameOf } from './signer-rights.js';

/** Certificate requests are approved and denied by who may `approve` for their signer. */
export const certificateApproval: PluginMaker = ({ names }) => ({
  name: 'CertificateApproval',
  looksOnly: true,
  // An authorizer may be a webhook.
  callsOut: true,
  handles: (target) => target.operation === 'UPDATE' && isAboutRequests(names, target, 'approval'),
  // By the request as it is there: nobody gets around it by naming another signer.
  validate: (attributes) =>
    requireSignerRight(names, attributes, 'approve', signerNameOf(attributes.oldObject), 'approve requests with'),
});
