import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { textAt } from '../values/fields.js';
import { orNone } from '../values/text.js';
import { validateAnchors, validateBundleName, validateSigner } from './bundle-validation.js';

export const clusterTrustBundle: KindDeclaration = {
  // Names of bundles bound to a signer hold colons: `example.com:mysigner:mybundle`.
  nameRule: 'pathSegment',
  unconditionalUpdate: false,
  validate: validateSigner,
  validateInSteps: (object, _names, old) => validateAnchors(object, old),
  validateCreate: validateBundleName,
  validateUpdate: (object, old) => immutableField(object, old, 'spec', 'signerName'),
  row: (object) => ({ SignerName: orNone(textAt(object, 'spec', 'signerName')) }),
  selectableFields: { 'spec.signerName': (object) => textAt(object, 'spec', 'signerName') },
};
