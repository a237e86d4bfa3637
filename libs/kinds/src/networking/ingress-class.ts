import {
  type ApiObject,
  dnsLabelErrors,
  type FieldError,
  forbiddenField,
  notSupported,
  required,
  tooLong,
} from '@orch/machinery';
import { requiredText } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { at, fillZero, isObject, type Json, textAt } from '../values/fields.js';
import { NONE } from '../values/text.js';
import { validateReference } from './ingress-validation.js';

const MAX_CONTROLLER = 250;
const SCOPES = ['Cluster', 'Namespace'];

export const ingressClass: KindDeclaration = {
  generation: true,
  defaults(object) {
    const parameters = at(object, 'spec', 'parameters');
    if (isObject(parameters)) fillZero(parameters, 'scope', 'Cluster');
  },
  validate: ({ spec }) => validateClass(spec),
  validateUpdate: (object, old) => immutableField(object, old, 'spec', 'controller'),
  row: (object) => ({ Controller: textAt(object, 'spec', 'controller'), Parameters: parametersText(object) }),
};

/** `Kind.group/name` */
function parametersText(object: ApiObject): string {
  const parameters = at(object, 'spec', 'parameters');
  if (!isObject(parameters)) return NONE;
  const group = textAt(parameters, 'apiGroup');
  return `${textAt(parameters, 'kind')}${group && `.${group}`}/${textAt(parameters, 'name')}`;
}

function validateClass(spec: unknown): FieldError[] {
  const controller = textAt(spec, 'controller');
  const parameters = at(spec, 'parameters');
  return [
    ...(controller.length > MAX_CONTROLLER ? [tooLong('spec.controller', MAX_CONTROLLER)] : []),
    ...(controller === '' ? [required('spec.controller')] : []),
    ...(isObject(parameters) ? validateParameters(parameters, 'spec.parameters') : []),
  ];
}

function validateParameters(parameters: Json, path: string): FieldError[] {
  const errors = validateReference(parameters, path);
  const scope = textAt(parameters, 'scope');
  const field = `${path}.namespace`;
  if (!SCOPES.includes(scope)) return [...errors, notSupported(`${path}.scope`, scope, SCOPES)];
  if (scope === 'Cluster') {
    if (textAt(parameters, 'namespace') === '') return errors;
    return [...errors, forbiddenField(field, "`parameters.scope` is set to 'Cluster'")];
  }
  if (textAt(parameters, 'namespace') !== '') {
    return [...errors, ...requiredText(parameters, path, 'namespace', dnsLabelErrors)];
  }
  return [...errors, required(field, "`parameters.scope` is set to 'Namespace'")];
}
