import {
  type ApiObject,
  addressErrors,
  dnsSubdomainErrors,
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  required,
  specialAddressErrors,
  validateLabels,
} from '@orch/machinery';
import { invalidEach, isOneOf, oneOf } from '../rules/checks.js';
import { at, mapAt, numberAt, objectAt, objectsAt, stringsAt, textAt } from '../values/fields.js';
import { validateAddresses, validateAddressUpdate } from './service-address-validation.js';
import {
  validateBalancing,
  validateBalancingUpdate,
  validateHealthCheck,
  validateTopology,
} from './service-balancing-validation.js';
import { isHeadless } from './service-families.js';
import { validateServicePorts } from './service-port-validation.js';

const AFFINITIES = ['ClientIP', 'None'];
const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const MAX_AFFINITY_SECONDS = 86400;

/** What a Service must be like, before it is given addresses and ports. */
export function validateService(object: ApiObject, names: Names): FieldError[] {
  const { spec } = object;
  const { type } = objectAt(spec);
  return [
    ...validateTopology(object, names),
    ...validateByType(spec),
    ...(type === 'ExternalName' ? [] : validateAddresses(spec)),
    ...validateServicePorts(spec),
    ...validateLabels(mapAt(spec, 'selector'), 'spec.selector'),
    ...validateAffinity(spec),
    ...stringsAt(spec, 'externalIPs').flatMap((address, index) =>
      invalidEach(`spec.externalIPs[${index}]`, address, externalAddressErrors(address)),
    ),
    ...oneOf('spec.type', type, TYPES),
    ...validateBalancing(object, names),
    ...validateTraffic(spec),
  ];
}

function validateByType(spec: unknown): FieldError[] {
  const type = textAt(spec, 'type');
  if (type === 'ExternalName') return validateExternalName(spec);
  if (isHeadless(spec)) {
    if (type !== 'LoadBalancer' && type !== 'NodePort') return [];
    return [invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)];
  }
  return objectsAt(spec, 'ports').length === 0 ? [required('spec.ports')] : [];
}

function validateExternalName(spec: unknown): FieldError[] {
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  const extra = ['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'].filter((member) => {
    if (member === 'clusterIPs' && textAt(spec, 'clusterIP') !== '') return true;
    const value = at(spec, member);
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
  });
  return [
    ...extra.map((member) => forbiddenField(`spec.${member}`, 'may not be set for ExternalName services')),
    ...(name === ''
      ? [required('spec.externalName')]
      : invalidEach('spec.externalName', name, dnsSubdomainErrors(name))),
  ];
}

function validateAffinity(spec: unknown): FieldError[] {
  const errors = oneOf('spec.sessionAffinity', at(spec, 'sessionAffinity'), AFFINITIES);
  if (textAt(spec, 'sessionAffinity') !== 'ClientIP') return errors;
  const seconds = numberAt(spec, 'sessionAffinityConfig', 'clientIP', 'timeoutSeconds') ?? 0;
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return errors;
  const text = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
  return [...errors, invalidValue('spec.sessionAffinityConfig.clientIP.timeoutSeconds', seconds, text)];
}

function externalAddressErrors(address: string): string[] {
  const errors = addressErrors(address);
  return errors.length > 0 ? errors : specialAddressErrors(address);
}

function validateTraffic(spec: unknown): FieldError[] {
  const type = textAt(spec, 'type');
  const outside = at(spec, 'externalTrafficPolicy');
  const field = 'spec.externalTrafficPolicy';
  const opens = type === 'NodePort' || type === 'LoadBalancer';
  const errors = opens ? oneOf(field, outside, TRAFFIC_POLICIES) : [];
  if (!opens && outside) {
    errors.push(invalidValue(field, outside, "may only be set when `type` is 'NodePort' or 'LoadBalancer'"));
  }
  return [
    ...errors,
    ...validateHealthCheck(spec),
    ...isOneOf('spec.internalTrafficPolicy', at(spec, 'internalTrafficPolicy'), TRAFFIC_POLICIES),
  ];
}

export const validateServiceUpdate = (object: ApiObject, old: ApiObject): FieldError[] => [
  ...validateAddressUpdate(object.spec, old.spec),
  ...validateBalancingUpdate(object.spec, old.spec),
];
