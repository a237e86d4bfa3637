import {
  addressErrors,
  dnsLabelErrors,
  dnsSubdomainErrors,
  type FieldError,
  qualifiedNameErrors,
  required,
  specialAddressErrors,
} from '@orch/machinery';
import type { EndpointAddress, EndpointPort, EndpointSubset, Endpoints } from '@orch/schema/types/core/v1';
import { invalidEach, oneOf, PROTOCOLS, portNumberErrors } from '../rules/checks.js';
import { each } from '../rules/lists.js';

/** Addresses and ports of a Service, in subsets. */
export const validateEndpoints = (object: Endpoints): FieldError[] =>
  each(object.subsets ?? [], 'subsets', validateSubset);

function validateSubset(subset: EndpointSubset, path: string): FieldError[] {
  const lists = (['addresses', 'notReadyAddresses'] as const).map((name) => [name, subset[name] ?? []] as const);
  const ports = subset.ports ?? [];
  return [
    ...(lists.every(([, addresses]) => addresses.length === 0)
      ? [required(path, 'must specify `addresses` or `notReadyAddresses`')]
      : []),
    ...lists.flatMap(([name, addresses]) => each(addresses, `${path}.${name}`, validateAddress)),
    ...each(ports, `${path}.ports`, (port, field) => validatePort(port, field, ports.length > 1)),
  ];
}

function validateAddress(address: EndpointAddress, path: string): FieldError[] {
  const [ip, host] = [address.ip ?? '', address.hostname ?? ''];
  const node = address.nodeName;
  return [
    ...invalidEach(`${path}.ip`, ip, addressErrors(ip)),
    ...(host === '' ? [] : invalidEach(`${path}.hostname`, host, dnsLabelErrors(host))),
    ...(typeof node === 'string' ? invalidEach(`${path}.nodeName`, node, dnsSubdomainErrors(node)) : []),
    ...invalidEach(`${path}.ip`, ip, specialAddressErrors(ip)),
  ];
}

function validatePort(port: EndpointPort, path: string, named: boolean): FieldError[] {
  const name = port.name ?? '';
  const number = port.port ?? 0;
  const protocol = port.appProtocol;
  return [
    ...(name === ''
      ? named
        ? [required(`${path}.name`)]
        : []
      : invalidEach(`${path}.name`, name, dnsLabelErrors(name))),
    ...invalidEach(`${path}.port`, number, portNumberErrors(number)),
    ...oneOf(`${path}.protocol`, port.protocol, PROTOCOLS),
    ...(typeof protocol === 'string'
      ? invalidEach(`${path}.appProtocol`, protocol, qualifiedNameErrors(protocol))
      : []),
  ];
}
