import {
  dnsLabelErrors,
  duplicate,
  type FieldError,
  forbiddenField,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import type { ServicePort, ServiceSpec } from '@orch/schema/types/core/v1';
import { invalidEach, oneOf, PROTOCOLS, portErrors, portNumberErrors } from '../rules/checks.js';
import { shownServicePort } from '../values/go-syntax.js';

/** The ports of a Service: named when there are several, each number of a protocol once. */
export function validateServicePorts(spec: ServiceSpec | undefined): FieldError[] {
  const ports = spec?.ports ?? [];
  const names = new Set<string>();
  return [
    ...ports.flatMap((port, index) => validatePort(port, `spec.ports[${index}]`, ports.length > 1, names)),
    ...(spec?.type === 'ClusterIP' ? refuseNodePorts(ports) : []),
    ...repeated(ports, 'nodePort', (port, at) => duplicate(`${at}.nodePort`, port.nodePort ?? 0)),
    ...repeated(ports, 'port', (port, at) => duplicate(at, shownServicePort(port.protocol ?? '', port.port ?? 0))),
  ];
}

function validatePort(port: ServicePort, path: string, named: boolean, names: Set<string>): FieldError[] {
  const [name, protocol] = [port.name ?? '', port.appProtocol];
  return [
    ...(name === '' ? (named ? [required(`${path}.name`)] : []) : validateName(name, `${path}.name`, names)),
    ...invalidEach(`${path}.port`, port.port ?? 0, portNumberErrors(port.port ?? 0)),
    ...oneOf(`${path}.protocol`, port.protocol, PROTOCOLS),
    ...portErrors(`${path}.targetPort`, port.targetPort),
    ...(typeof protocol !== 'string'
      ? []
      : invalidEach(`${path}.appProtocol`, protocol, qualifiedNameErrors(protocol))),
  ];
}

function validateName(name: string, field: string, names: Set<string>): FieldError[] {
  const errors = invalidEach(field, name, dnsLabelErrors(name));
  if (names.has(name)) errors.push(duplicate(field, name));
  names.add(name);
  return errors;
}

const refuseNodePorts = (ports: readonly ServicePort[]): FieldError[] =>
  ports.flatMap((port, index) => {
    if ((port.nodePort ?? 0) === 0) return [];
    return [forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")];
  });

/** Ports whose number was there before, with the same protocol. */
function repeated(
  ports: readonly ServicePort[],
  member: 'port' | 'nodePort',
  error: (port: ServicePort, at: string) => FieldError,
): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const number = port[member] ?? 0;
    if (number === 0 && member === 'nodePort') return [];
    const key = `${port.protocol ?? ''}/${number}`;
    if (seen.has(key)) return [error(port, `spec.ports[${index}]`)];
    seen.add(key);
    return [];
  });
}
