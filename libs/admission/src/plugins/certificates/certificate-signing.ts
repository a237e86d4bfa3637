import { isDeepStrictEqual } from 'node:util';
import type { PluginMaker } from '../../plugin.js';
import { isAboutRequests, requireSignerRight, type SignerObject, signerNameOf } from './signer-rights.js';

/** Certificates and conditions are written into requests by who may `sign` for their signer. */
export const certificateSigning: PluginMaker = ({ names }) => ({
  name: 'CertificateSigning',
  looksOnly: true,
  // An authorizer may be a webhook.
  callsOut: true,
  handles: (target) => target.operation === 'UPDATE' && isAboutRequests(names, target, 'status'),
  async validate(attributes) {
    const { object, oldObject } = attributes;
    if (isDeepStrictEqual(outcomeOf(object), outcomeOf(oldObject))) return;
    await requireSignerRight(names, attributes, 'sign', signerNameOf(oldObject), 'sign requests with');
  },
});

/** What became of a request; what is empty is as what is not there. */
function outcomeOf(object: SignerObject | undefined) {
  const { certificate = '', conditions = [] } = object?.status ?? {};
  return { certificate, conditions };
}
