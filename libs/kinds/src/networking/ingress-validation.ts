import {
  dns1035LabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  notSupported,
  pathSegmentErrors,
  required,
  VerbatimValue,
  wildcardSubdomainErrors,
} from '@orch/machinery';
import { invalidEach, portNameErrors, portNumberErrors, requiredText } from '../rules/checks.js';
import { at, countAt, isObject, type Json, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { isAddress } from '../values/ip-address.js';

const PATH_TYPES = ['Exact', 'ImplementationSpecific', 'Prefix'];
const NOT_IN_PATHS = ['//', '/./', '/../', '%2f', '%2F'];
const NOT_AT_THE_END = ['/..', '/.'];

export function validateIngress(spec: unknown): FieldError[] {
  const rules = objectsAt(spec, 'rules');
  const fallback = at(spec, 'defaultBackend');
  const name = textAt(spec, 'ingressClassName');
  const nowhere = 'either `defaultBackend` or `rules` must be specified';
  return [
    ...(rules.length === 0 && !isObject(fallback)
      ? [invalidValue('spec', new VerbatimValue('[]networking.IngressRule(nil)'), nowhere)]
      : []),
    ...(isObject(fallback) ? validateBackend(fallback, 'spec.defaultBackend') : []),
    ...rules.flatMap((rule, index) => validateRule(rule, `spec.rules[${index}]`)),
    ...objectsAt(spec, 'tls').flatMap((tls, index) => validateTls(tls, `spec.tls[${index}]`)),
    ...(name === '' ? [] : invalidEach('spec.ingressClassName', name, dnsSubdomainErrors(name))),
  ];
}

const hostErrors = (host: string): string[] =>
  host.includes('*') ? wildcardSubdomainErrors(host) : dnsSubdomainErrors(host);

function validateRule(rule: Json, path: string): FieldError[] {
  const host = textAt(rule, 'host');
  const errors = host === '' ? [] : invalidEach(`${path}.host`, host, hostErrors(host));
  if (isAddress(host)) errors.unshift(invalidValue(`${path}.host`, host, 'must be a DNS name, not an IP address'));
  if (!isObject(rule.http)) return errors;
  const paths = objectsAt(rule.http, 'paths');
  if (paths.length === 0) errors.push(required(`${path}.http.paths`));
  return [...errors, ...paths.flatMap((item, index) => validatePath(item, `${path}.http.paths[${index}]`))];
}

function validateTls(tls: Json, path: string): FieldError[] {
  const secret = textAt(tls, 'secretName');
  return [
    ...stringsAt(tls, 'hosts').flatMap((host, index) => invalidEach(`${path}.hosts[${index}]`, host, hostErrors(host))),
    ...(secret === '' ? [] : invalidEach(`${path}.secretName`, secret, dnsSubdomainErrors(secret))),
  ];
}

function validatePath(item: Json, path: string): FieldError[] {
  const type = item.pathType;
  if (typeof type !== 'string') return [required(`${path}.pathType`, 'pathType must be specified')];
  const text = textAt(item, 'path');
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

function validateBackend(backend: unknown, path: string): FieldError[] {
  const [resource, service] = [at(backend, 'resource'), at(backend, 'service')];
  if (isObject(resource) && isObject(service)) {
    return [invalidValue(path, '', 'cannot set both resource and service backends')];
  }
  if (isObject(resource)) return validateReference(resource, `${path}.resource`);
  if (!isObject(service)) return [invalidValue(path, '', 'resource or service backend is required')];
  return [...requiredText(service, `${path}.service`, 'name', dns1035LabelErrors), ...validatePort(service, path)];
}

function validatePort(service: Json, path: string): FieldError[] {
  const [name, number] = [textAt(service, 'port', 'name'), countAt(service, 'port', 'number')];
  const field = `${path}.service.port`;
  if (name !== '' && number !== 0) return [invalidValue(path, '', 'cannot set both port name & port number')];
  if (name !== '') return invalidEach(`${field}.name`, name, portNameErrors(name));
  if (number !== 0) return invalidEach(`${field}.number`, number, portNumberErrors(number));
  return [required(path, 'port name or number is required')];
}

/** A reference to an object of any kind. */
export function validateReference(reference: unknown, path: string): FieldError[] {
  const group = textAt(reference, 'apiGroup');
  return [
    ...(group === '' ? [] : invalidEach(`${path}.apiGroup`, group, dnsSubdomainErrors(group))),
    ...['kind', 'name'].flatMap((name) => {
      const value = textAt(reference, name);
      if (value === '') return [required(`${path}.${name}`, `${name} is required`)];
      return invalidEach(`${path}.${name}`, value, pathSegmentErrors(value));
    }),
  ];
}
