import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '@orch/machinery';
import type { IngressClass, IngressClassParametersReference, IngressClassSpec } from '@orch/schema/types/networking/v1';
import { invalidEach } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { fill } from '../values/fields.js';
import { NONE } from '../values/text.js';
import { validateReference } from './ingress-validation.js';

const MAX_CONTROLLER = 250;
const SCOPES = ['Cluster', 'Namespace'];

/** Rules of IngressClass; the controller is immutable. */
export const ingressClass: KindDeclaration<IngressClass> = {
  generation: true,
  defaults(object) {
    const parameters = object.spec?.parameters;
    if (parameters) fill(parameters, 'scope', 'Cluster');
  },
  validate: ({ spec }) => validateClass(spec),
  validateUpdate: (object, old) => immutableField(object, old, 'spec', 'controller'),
  row: (object) => ({ Controller: object.spec?.controller ?? '', Parameters: parametersText(object) }),
};

/** `Kind.group/name` */
function parametersText(object: IngressClass): string {
  const parameters = object.spec?.parameters;
  if (!parameters) return NONE;
  const group = parameters.apiGroup ?? '';
  return `${parameters.kind ?? ''}${group && `.${group}`}/${parameters.name ?? ''}`;
}

function validateClass(spec: IngressClassSpec | undefined): FieldError[] {
  const controller = spec?.controller ?? '';
  const parameters = spec?.parameters;
  return [
    ...(Buffer.byteLength(controller) > MAX_CONTROLLER ? [tooLong('spec.controller', MAX_CONTROLLER)] : []),
    ...validateDomainPath(controller, 'spec.controller'),
    ...(parameters ? validateParameters(parameters, 'spec.parameters') : []),
  ];
}

function validateParameters(parameters: IngressClassParametersReference, path: string): FieldError[] {
  const errors = validateReference(parameters, path);
  const scope = parameters.scope ?? '';
  const field = `${path}.namespace`;
  if (!SCOPES.includes(scope)) return [...errors, notSupported(`${path}.scope`, scope, SCOPES)];
  const { namespace } = parameters;
  if (scope === 'Cluster') {
    if (namespace === undefined) return errors;
    return [...errors, forbiddenField(field, "`parameters.scope` is set to 'Cluster'")];
  }
  if (typeof namespace !== 'string') return [...errors, required(field, "`parameters.scope` is set to 'Namespace'")];
  return [...errors, ...invalidEach(field, namespace, dnsLabelErrors(namespace))];
}

const PATH = String.raw`[A-Za-z0-9/\-._~%!$&'()*+,;=:]+`;
const PATH_RE = new RegExp(`^${PATH}$`);

/** A domain, and a path in it, such as `example.com/controller`. */
function validateDomainPath(text: string, field: string): FieldError[] {
  if (text === '') return [required(field)];
  const slash = text.indexOf('/');
  const [host, path] = [text.slice(0, slash), text.slice(slash + 1)];
  if (slash <= 0 || path === '') {
    return [invalidValue(field, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  return [
    ...invalidEach(field, host, dnsSubdomainErrors(host)),
    ...(PATH_RE.test(path) ? [] : [invalidValue(field, path, `Invalid path (regex used for validation is '${PATH}')`)]),
  ];
}
