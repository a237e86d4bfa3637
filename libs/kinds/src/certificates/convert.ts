import type { VersionConversion } from '../conversions/version-conversion.js';
import { edited, filled } from '../values/edited.js';

/**
 * How certificate requests were written before `certificates.orch.io/v1`, which asks for usages and a signer's name. The
 * usages that were meant are known; which signer was meant depended on the request, and is left for people to say.
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
