import {
  dns1035LabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  isAddress,
  type Names,
  notSupported,
  pathSegmentErrors,
  required,
  VerbatimValue,
  wildcardSubdomainErrors,
} from '@orch/machinery';
import type { TypedLocalObjectReference } from '@orch/schema/types/core/v1';
import type {
  HTTPIngressPath,
  HTTPIngressRuleValue,
  Ingress,
  IngressBackend,
  IngressClassParametersReference,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressTLS,
} from '@orch/schema/types/networking/v1';
import { invalidEach, portNameErrors, portNumberErrors, requiredText } from '../rules/checks.js';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const NOT_IN_PATHS = ['//', '/./', '/../', '%2f', '%2F'];
const NOT_AT_THE_END = ['/..', '/.'];

/** `old` is the stored spec, in an update: what of names and of wildcards was wrong in it may stay so. */
export function validateIngress(spec: IngressSpec | undefined, old?: IngressSpec): FieldError[] {
  const lenient = leniencyOf(old);
  const rules = spec?.rules ?? [];
  const fallback = spec?.defaultBackend;
  const nowhere = 'either `defaultBackend` or `rules` must be specified';
  return [
    ...(rules.length === 0 && !fallback
      ? [invalidValue('spec', new VerbatimValue('[]networking.IngressRule(nil)'), nowhere)]
      : []),
    ...(fallback ? validateBackend(fallback, 'spec.defaultBackend') : []),
    ...rules.flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`, lenient.wildcards)),
    ...(spec?.tls ?? []).flatMap((tls, index) => validateTls(tls, `spec.tls[${index}]`, lenient.secrets)),
    ...validateClassName(spec?.ingressClassName),
  ];
}

const validateClassName = (name: string | undefined): FieldError[] =>
  typeof name === 'string' ? invalidEach('spec.ingressClassName', name, dnsSubdomainErrors(name)) : [];

interface Leniency {
  readonly wildcards: boolean;
  readonly secrets: boolean;
}

const leniencyOf = (old: IngressSpec | undefined): Leniency => ({
  wildcards: (old?.rules ?? []).some(
    (rule) => (rule.host ?? '').includes('*') && validateHttp(rule.http, '').length > 0,
  ),
  secrets: (old?.tls ?? []).some((tls) => validateSecretName(tls, '').length > 0),
});

/** Checks that a class in the older annotation equals the field. */
export function validateIngressAnnotation({ metadata, spec }: Ingress, names: Names): FieldError[] {
  const key = names.key('orch.io/ingress.class');
  const [noted, name] = [metadata?.annotations?.[key], spec?.ingressClassName];
  if (noted === undefined || typeof name !== 'string' || noted === name) return [];
  return [invalidValue(`annotations.${key}`, noted, 'must match `ingressClassName` when both are specified')];
}

const hostErrors = (host: string): string[] =>
  host.includes('*') ? wildcardSubdomainErrors(host) : dnsSubdomainErrors(host);

function validateRule(rule: IngressRule, path: string, lenient: boolean): FieldError[] {
  const host = rule.host ?? '';
  const errors = host === '' ? [] : invalidEach(`${path}.host`, host, hostErrors(host));
  if (isAddress(host)) errors.unshift(invalidValue(`${path}.host`, host, 'must be a DNS name, not an IP address'));
  return lenient && host.includes('*') ? errors : [...errors, ...validateHttp(rule.http, `${path}.http`)];
}

function validateHttp(http: HTTPIngressRuleValue | undefined, path: string): FieldError[] {
  if (!http) return [];
  const paths = http.paths ?? [];
  return [
    ...(paths.length === 0 ? [required(`${path}.paths`)] : []),
    ...paths.flatMap((item, index) => validatePath(item, `${path}.paths[${index}]`)),
  ];
}

function validateTls(tls: IngressTLS, path: string, lenient: boolean): FieldError[] {
  return [
    ...(tls.hosts ?? []).flatMap((host, index) => invalidEach(`${path}.hosts[${index}]`, host, hostErrors(host))),
    ...(lenient ? [] : validateSecretName(tls, path)),
  ];
}

function validateSecretName(tls: IngressTLS, path: string): FieldError[] {
  const secret = tls.secretName ?? '';
  return secret === '' ? [] : invalidEach(`${path}.secretName`, secret, dnsSubdomainErrors(secret));
}

function validatePath(item: HTTPIngressPath, path: string): FieldError[] {
  const type = item.pathType;
  if (typeof type !== 'string') return [required(`${path}.pathType`, 'pathType must be specified')];
  const text = item.path ?? '';
  return [
    ...(PATH_TYPES.includes(type)
      ? invalidEach(`${path}.path`, text, type === 'ImplementationSpecific' ? looseErrors(text) : pathErrors(text))
      : [notSupported(`${path}.pathType`, type, PATH_TYPES)]),
    ...validateBackend(item.backend, `${path}.backend`),
  ];
}

const looseErrors = (path: string): string[] =>
  path === '' || path.startsWith('/') ? [] : ['must be an absolute path'];

const pathErrors = (path: string): string[] => [
  ...(path.startsWith('/') ? [] : ['must be an absolute path']),
  ...NOT_IN_PATHS.filter((sequence) => path.includes(sequence)).map((sequence) => `must not contain '${sequence}'`),
  ...NOT_AT_THE_END.filter((suffix) => path.endsWith(suffix)).map((suffix) => `cannot end with '${suffix}'`),
];

function validateBackend(backend: IngressBackend | undefined, path: string): FieldError[] {
  const [resource, service] = [backend?.resource, backend?.service];
  if (resource && service) {
    return [invalidValue(path, '', 'cannot set both resource and service backends')];
  }
  if (resource) return validateReference(resource, `${path}.resource`);
  if (!service) return [invalidValue(path, '', 'resource or service backend is required')];
  return [...requiredText(service, `${path}.service`, 'name', dns1035LabelErrors), ...validatePort(service, path)];
}

function validatePort(service: IngressServiceBackend, path: string): FieldError[] {
  const [name, number] = [service.port?.name ?? '', service.port?.number ?? 0];
  const field = `${path}.service.port`;
  if (name !== '' && number !== 0) return [invalidValue(path, '', 'cannot set both port name & port number')];
  if (name !== '') return invalidEach(`${field}.name`, name, portNameErrors(name));
  if (number !== 0) return invalidEach(`${field}.number`, number, portNumberErrors(number));
  return [required(path, 'port name or number is required')];
}

/** A reference to an object of any kind. */
export function validateReference(
  reference: TypedLocalObjectReference | IngressClassParametersReference,
  path: string,
): FieldError[] {
  const group = reference.apiGroup;
  return [
    ...(typeof group !== 'string' ? [] : invalidEach(`${path}.apiGroup`, group, dnsSubdomainErrors(group))),
    ...(['kind', 'name'] as const).flatMap((name) => {
      const value = reference[name] ?? '';
      if (value === '') return [required(`${path}.${name}`, `${name} is required`)];
      return invalidEach(`${path}.${name}`, value, pathSegmentErrors(value));
    }),
  ];
}
