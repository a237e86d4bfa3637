import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import type { KindSettings } from '../rules/settings.js';
import { at, fill, isObject, objectsAt, textAt } from '../values/fields.js';
import { UNSET } from '../values/text.js';
import { policySteps, validateLaterBinding, validatePolicyBinding, validatePolicyStatus } from './policy-validation.js';

const LATER = 'LaterExpressions';

export const validatingAdmissionPolicy = ({ features }: KindSettings): KindDeclaration => ({
  resetFields: { status: [['metadata'], ['spec']] },
  subresources: { status: keepAllButStatus },
  generation: true,
  unconditionalUpdate: false,
  freeFinalizers: true,
  gatedFields: [gatedMember(LATER, 'spec.variables')],
  defaults: (object) => defaultMatch(at(object, 'spec', 'matchConstraints')),
  validateInSteps: (object, _names, old) => policySteps(object, old, features.enabled(LATER)),
  validateStatus: validatePolicyStatus,
  row: (object) => ({
    Validations: objectsAt(object, 'spec', 'validations').length,
    ParamKind: at(object, 'spec', 'paramKind')
      ? `${textAt(object, 'spec', 'paramKind', 'apiVersion')}/${textAt(object, 'spec', 'paramKind', 'kind')}`
      : UNSET,
  }),
});

const binding: KindDeclaration = {
  generation: true,
  unconditionalUpdate: false,
  freeFinalizers: true,
  gatedFields: ['selector', 'parameterNotFoundAction'].map((name) => gatedMember(LATER, `spec.paramRef.${name}`)),
  defaults: (object) => defaultMatch(at(object, 'spec', 'matchResources')),
  validate: validatePolicyBinding,
  row: (object) => ({
    PolicyName: textAt(object, 'spec', 'policyName'),
    ParamRef: paramRef(at(object, 'spec', 'paramRef')),
  }),
};

/** The first version asks for less than those of later releases. */
export const validatingAdmissionPolicyBinding = (_settings: KindSettings, version: string): KindDeclaration =>
  version === 'v1alpha1'
    ? binding
    : { ...binding, validateServed: validateLaterBinding, validateServedUpdate: validateLaterBinding };

/** Selectors that are not given select everything. */
function defaultMatch(match: unknown): void {
  if (!isObject(match)) return;
  fill(match, 'namespaceSelector', {});
  fill(match, 'objectSelector', {});
}

function paramRef(reference: unknown): string {
  if (!isObject(reference)) return UNSET;
  const namespace = textAt(reference, 'namespace');
  return namespace ? `${namespace}/${textAt(reference, 'name')}` : textAt(reference, 'name');
}
