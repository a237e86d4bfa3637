import {
  addressOfFamilyErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  invalidValue,
  labelValueErrors,
  qualifiedNameErrors,
  required,
  specialAddressErrors,
  validateLabels,
} from '@orch/machinery';
import type { Endpoint, EndpointPort, EndpointSlice, ForZone } from '@orch/schema/types/discovery/v1';
import { givenOneOf, invalidEach, oneOf, PROTOCOLS } from '../rules/checks.js';
import { atMost, each, refuseRepeated } from '../rules/lists.js';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_TOPOLOGY_LABELS = 16;
const MAX_ZONE_HINTS = 8;

/** Endpoints of one type of addresses, and the ports that all of them have. */
export const validateEndpointSlice = (object: EndpointSlice): FieldError[] => [
  ...oneOf('addressType', object.addressType ?? '', ADDRESS_TYPES),
  ...limited(object.endpoints ?? [], 'endpoints', MAX_ENDPOINTS, (endpoints) =>
    each(endpoints, 'endpoints', (endpoint, path) => validateEndpoint(endpoint, path, object.addressType ?? '')),
  ),
  ...limited(object.ports ?? [], 'ports', MAX_PORTS, validatePorts),
];

/** Checks the items of a list that is not too long. */
function limited<T>(
  items: readonly T[],
  field: string,
  limit: number,
  check: (items: readonly T[]) => FieldError[],
): FieldError[] {
  const long = atMost(field, items.length, limit);
  return long.length > 0 ? long : check(items);
}

function validateEndpoint(endpoint: Endpoint, path: string, type: string): FieldError[] {
  const addresses = endpoint.addresses ?? [];
  const field = `${path}.addresses`;
  const { nodeName, hostname } = endpoint;
  const topology = endpoint.deprecatedTopology ?? {};
  const labels = `${path}.deprecatedTopology`;
  return [
    ...(addresses.length === 0 ? [required(field, 'must contain at least 1 address')] : []),
    ...atMost(field, addresses.length, MAX_ADDRESSES),
    ...each(addresses, field, (address, at) => validateAddress(address, at, type)),
    ...(typeof nodeName === 'string' ? invalidEach(`${path}.nodeName`, nodeName, dnsSubdomainErrors(nodeName)) : []),
    ...atMost(labels, Object.keys(topology).length, MAX_TOPOLOGY_LABELS),
    ...validateLabels(topology, labels),
    ...(typeof hostname === 'string' ? invalidEach(`${path}.hostname`, hostname, dnsLabelErrors(hostname)) : []),
    ...limited(endpoint.hints?.forZones ?? [], `${path}.hints.forZones`, MAX_ZONE_HINTS, (zones) =>
      validateHints(zones, `${path}.hints.forZones`),
    ),
  ];
}

function validateAddress(address: string, field: string, type: string): FieldError[] {
  switch (type) {
    case 'IPv4':
    case 'IPv6':
      return invalidEach(field, address, [...addressOfFamilyErrors(address, type), ...specialAddressErrors(address)]);
    case 'FQDN':
      return validateDomain(address, field);
    default:
      return [];
  }
}

/** A name of at least two labels, with or without a dot at the end. */
function validateDomain(text: string, field: string): FieldError[] {
  if (text === '') return [required(field)];
  const name = text.replace(/\.$/, '');
  const errors = dnsSubdomainErrors(name);
  if (errors.length > 0) return [invalidValue(field, name, errors.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) {
    return [invalidValue(field, name, 'should be a domain with at least two segments separated by dots')];
  }
  const wrong = labels.find((label) => dnsLabelErrors(label).length > 0);
  return wrong === undefined ? [] : [invalidValue(field, wrong, dnsLabelErrors(wrong).join(','))];
}

function validateHints(zones: readonly ForZone[], path: string): FieldError[] {
  const names = zones.map((zone) => zone.name ?? '');
  return [
    ...refuseRepeated(names, path, '.name'),
    ...each(names, path, (name, at) => invalidEach(`${at}.name`, name, labelValueErrors(name))),
  ];
}

function validatePorts(ports: readonly EndpointPort[]): FieldError[] {
  const names = ports.map((port) => port.name ?? '');
  return [
    ...refuseRepeated(names, 'ports', '.name'),
    ...each(ports, 'ports', (port, path) => {
      const [name, protocol] = [port.name ?? '', port.appProtocol];
      return [
        ...(name === '' ? [] : invalidEach(`${path}.name`, name, dnsLabelErrors(name))),
        ...givenOneOf(`${path}.protocol`, port.protocol, PROTOCOLS),
        ...(typeof protocol === 'string'
          ? invalidEach(`${path}.appProtocol`, protocol, qualifiedNameErrors(protocol))
          : []),
      ];
    }),
  ];
}
