import { isDeepStrictEqual } from 'node:util';
import type { PluginMaker } from '../../plugin.js';
import { isAboutRequests, requireSignerRight, type SignerObject, signerNameOf } from './signer-rights.js';

/** Allows only users with the verb `sign` for the signer to write certificates and conditions into requests. */
export const certificateSigning: PluginMaker = ({ names }) => ({
  name: 'CertificateSigning',
  readsOnly: true,
  // An authorizer may be a webhook.
  callsOut: true,
  handles: (target) => target.operation === 'UPDATE' && isAboutRequests(names, target, 'status'),
  async validate(attributes) {
    const { object, oldObject } = attributes;
    if (isDeepStrictEqual(outcomeOf(object), outcomeOf(oldObject))) return;
    await requireSignerRight(names, attributes, 'sign', signerNameOf(oldObject), 'sign requests with');
  },
});

/** Returns the certificate and conditions of a request; an absent member equals an empty one. */
function outcomeOf(object: SignerObject | undefined) {
  const { certificate = '', conditions = [] } = object?.status ?? {};
  return { certificate, conditions };
}
