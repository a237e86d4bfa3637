import type { VersionConversion } from '../conversions/version-conversion.js';
import { edited, filled } from '../values/edited.js';

/**
 * Conversions of certificate requests from versions before `certificates.orch.io/v1`, which requires usages and a
 * signer's name. The default usages are known; the default signer depended on the request, so it must be set by hand.
 */
export const CERTIFICATE_VERSIONS: readonly VersionConversion[] = [
  {
    version: 'certificates.orch.io/v1beta1',
    kinds: ['CertificateSigningRequest'],
    hub: 'certificates.orch.io/v1',
    defaults(object) {
      const usages = ['digital signature', 'key encipherment'];
      const used = edited(object, 'spec', (spec) => ({ ...spec, usages: spec.usages ?? usages }));
      return edited(used, 'status.conditions.*', (condition) => filled(condition, { status: 'True' }));
    },
  },
];
