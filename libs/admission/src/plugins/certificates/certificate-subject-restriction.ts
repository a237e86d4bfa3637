import { MASTERS } from '@orch/authorization';
import { CLIENT_SIGNER, readCertificateRequest } from '@orch/kinds';
import type { PluginMaker } from '../../plugin.js';
import { refusal } from '../../refusal.js';
import { isAboutRequests, type SignerObject, signerNameOf } from './signer-rights.js';

/** Refuses requests to the signer of client certificates for a certificate in the group that may do everything. */
export const certificateSubjectRestriction: PluginMaker = ({ names }) => ({
  name: 'CertificateSubjectRestriction',
  readsOnly: true,
  handles: (target) => target.operation === 'CREATE' && isAboutRequests(names, target, ''),
  validate(attributes) {
    const signer = names.key(CLIENT_SIGNER);
    if (signerNameOf(attributes.object) !== signer) return;
    let organizations: readonly string[];
    try {
      organizations = readCertificateRequest(requestOf(attributes.object)).organizations;
    } catch (error) {
      throw refusal(attributes, `failed to parse CSR: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (organizations.includes(MASTERS))
      throw refusal(attributes, `use of ${signer} signer with ${MASTERS} group is not allowed`);
  },
});

const requestOf = (object: SignerObject | undefined): string =>
  Buffer.from(object?.spec?.request ?? '', 'base64').toString('latin1');
