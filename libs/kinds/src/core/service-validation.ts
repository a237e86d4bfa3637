import {
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
import type { Service, ServiceSpec } from '@orch/schema/types/core/v1';
import { invalidEach, isOneOf, oneOf } from '../rules/checks.js';
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

/** Checks a Service before it is given addresses and ports. */
export function validateService(object: Service, names: Names): FieldError[] {
  const { spec } = object;
  const { type } = spec ?? {};
  return [
    ...validateTopology(object, names),
    ...validateByType(spec),
    ...(type === 'ExternalName' ? [] : validateAddresses(spec)),
    ...validateServicePorts(spec),
    ...validateLabels(spec?.selector ?? {}, 'spec.selector'),
    ...validateAffinity(spec),
    ...(spec?.externalIPs ?? []).flatMap((address, index) =>
      invalidEach(`spec.externalIPs[${index}]`, address, externalAddressErrors(address)),
    ),
    ...oneOf('spec.type', type, TYPES),
    ...validateBalancing(object, names),
    ...validateTraffic(spec),
  ];
}

function validateByType(spec: ServiceSpec | undefined): FieldError[] {
  const type = spec?.type ?? '';
  if (type === 'ExternalName') return validateExternalName(spec);
  if (isHeadless(spec)) {
    if (type !== 'LoadBalancer' && type !== 'NodePort') return [];
    return [invalidValue('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${type} services`)];
  }
  return (spec?.ports ?? []).length === 0 ? [required('spec.ports')] : [];
}

function validateExternalName(spec: ServiceSpec | undefined): FieldError[] {
  const name = (spec?.externalName ?? '').replace(/\.$/, '');
  const extra = (['clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const).filter((member) => {
    if (member === 'clusterIPs' && (spec?.clusterIP ?? '') !== '') return true;
    const value = spec?.[member];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;
  });
  return [
    ...extra.map((member) => forbiddenField(`spec.${member}`, 'may not be set for ExternalName services')),
    ...(name === ''
      ? [required('spec.externalName')]
      : invalidEach('spec.externalName', name, dnsSubdomainErrors(name))),
  ];
}

function validateAffinity(spec: ServiceSpec | undefined): FieldError[] {
  const errors = oneOf('spec.sessionAffinity', spec?.sessionAffinity, AFFINITIES);
  if (spec?.sessionAffinity !== 'ClientIP') return errors;
  const seconds = spec?.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return errors;
  const text = `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`;
  return [...errors, invalidValue('spec.sessionAffinityConfig.clientIP.timeoutSeconds', seconds, text)];
}

function externalAddressErrors(address: string): string[] {
  const errors = addressErrors(address);
  return errors.length > 0 ? errors : specialAddressErrors(address);
}

function validateTraffic(spec: ServiceSpec | undefined): FieldError[] {
  const type = spec?.type ?? '';
  const outside = spec?.externalTrafficPolicy;
  const field = 'spec.externalTrafficPolicy';
  const opens = type === 'NodePort' || type === 'LoadBalancer';
  const errors = opens ? oneOf(field, outside, TRAFFIC_POLICIES) : [];
  if (!opens && outside) {
    errors.push(invalidValue(field, outside, "may only be set when `type` is 'NodePort' or 'LoadBalancer'"));
  }
  return [
    ...errors,
    ...validateHealthCheck(spec),
    ...isOneOf('spec.internalTrafficPolicy', spec?.internalTrafficPolicy, TRAFFIC_POLICIES),
  ];
}

/** Checks an update of a Service: changes of addresses, families and balancing. */
export const validateServiceUpdate = (object: Service, old: Service): FieldError[] => [
  ...validateAddressUpdate(object.spec, old.spec),
  ...validateBalancingUpdate(object.spec, old.spec),
];
