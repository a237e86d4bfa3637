import type { ClusterTrustBundle } from '@orch/schema/types/certificates/v1alpha1';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { orNone } from '../values/text.js';
import { validateAnchors, validateBundleName, validateSigner } from './bundle-validation.js';

/** Rules of ClusterTrustBundle; the signer of a bundle is immutable. */
export const clusterTrustBundle: KindDeclaration<ClusterTrustBundle> = {
  // Names of bundles bound to a signer hold colons: `example.com:mysigner:mybundle`.
  nameRule: 'pathSegment',
  unconditionalUpdate: false,
  validate: validateSigner,
  validateInSteps: (object, _names, old) => validateAnchors(object, old),
  validateCreate: validateBundleName,
  validateUpdate: (object, old) => immutableField(object, old, 'spec', 'signerName'),
  row: (object) => ({ SignerName: orNone(object.spec?.signerName ?? '') }),
  selectableFields: { 'spec.signerName': (object) => object.spec?.signerName ?? '' },
};
