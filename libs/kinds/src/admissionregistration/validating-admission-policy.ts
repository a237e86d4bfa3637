import type {
  MatchResources,
  ParamRef,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from '@orch/schema/types/admissionregistration/v1beta1';
import { gatedMember } from '../rules/gated-fields.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { keepAllButStatus } from '../rules/separation.js';
import type { KindSettings } from '../rules/settings.js';
import { fill } from '../values/fields.js';
import { UNSET } from '../values/text.js';
import { policySteps, validateLaterBinding, validatePolicyBinding, validatePolicyStatus } from './policy-validation.js';

const LATER = 'LaterExpressions';

/** Rules of ValidatingAdmissionPolicy; its expressions are compiled in steps. */
export const validatingAdmissionPolicy = ({ features }: KindSettings): KindDeclaration<ValidatingAdmissionPolicy> => ({
  resetFields: { status: [['metadata'], ['spec']] },
  subresources: { status: keepAllButStatus },
  generation: true,
  unconditionalUpdate: false,
  freeFinalizers: true,
  gatedFields: [gatedMember(LATER, 'spec.variables')],
  defaults: (object) => defaultMatch(object.spec?.matchConstraints),
  validateInSteps: (object, _names, old) => policySteps(object, old, features.enabled(LATER)),
  validateStatus: validatePolicyStatus,
  row: (object) => ({
    Validations: (object.spec?.validations ?? []).length,
    ParamKind: object.spec?.paramKind
      ? `${object.spec?.paramKind?.apiVersion ?? ''}/${object.spec?.paramKind?.kind ?? ''}`
      : UNSET,
  }),
});

const binding: KindDeclaration<ValidatingAdmissionPolicyBinding> = {
  generation: true,
  unconditionalUpdate: false,
  freeFinalizers: true,
  gatedFields: ['selector', 'parameterNotFoundAction'].map((name) => gatedMember(LATER, `spec.paramRef.${name}`)),
  defaults: (object) => defaultMatch(object.spec?.matchResources),
  validate: validatePolicyBinding,
  row: (object) => ({
    PolicyName: object.spec?.policyName ?? '',
    ParamRef: paramRef(object.spec?.paramRef),
  }),
};

/** The first version asks for less than those of later releases. */
export const validatingAdmissionPolicyBinding = (
  _settings: KindSettings,
  version: string,
): KindDeclaration<ValidatingAdmissionPolicyBinding> =>
  version === 'v1alpha1'
    ? binding
    : { ...binding, validateServed: validateLaterBinding, validateServedUpdate: validateLaterBinding };

/** Selectors that are not given select everything. */
function defaultMatch(match: MatchResources | undefined): void {
  if (!match) return;
  fill(match, 'namespaceSelector', {});
  fill(match, 'objectSelector', {});
}

function paramRef(reference: ParamRef | undefined): string {
  if (!reference) return UNSET;
  const namespace = reference.namespace ?? '';
  return namespace ? `${namespace}/${reference.name ?? ''}` : (reference.name ?? '');
}
