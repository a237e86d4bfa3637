import type { PluginMaker } from '../../plugin.js';
import { certificatesGroup, requireSignerRight, signerNameOf } from './signer-rights.js';

/** Bundles of a signer's certificates are written by who may `attest` for it. */
export const clusterTrustBundleAttest: PluginMaker = ({ names }) => ({
  name: 'ClusterTrustBundleAttest',
  readsOnly: true,
  // An authorizer may be a webhook.
  callsOut: true,
  handles: ({ operation, group, resource }) =>
    resource === 'clustertrustbundles' && operation !== 'DELETE' && group === certificatesGroup(names),
  async validate(attributes) {
    const signer = signerNameOf(attributes.object);
    if (signer !== '') await requireSignerRight(names, attributes, 'attest', signer, 'attest for');
  },
});
