import {
  dnsLabelErrors,
  duplicate,
  type FieldError,
  forbiddenField,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import { invalidEach, oneOf, PROTOCOLS, portErrors, portNumberErrors } from '../rules/checks.js';
import { countAt, type Json, objectsAt, textAt } from '../values/fields.js';
import { shownServicePort } from '../values/go-syntax.js';

/** The ports of a Service: named when there are several, each number of a protocol once. */
export function validateServicePorts(spec: unknown): FieldError[] {
  const ports = objectsAt(spec, 'ports');
  const names = new Set<string>();
  return [
    ...ports.flatMap((port, index) => validatePort(port, `spec.ports[${index}]`, ports.length > 1, names)),
    ...(textAt(spec, 'type') === 'ClusterIP' ? refuseNodePorts(ports) : []),
    ...repeated(ports, 'nodePort', (port, at) => duplicate(`${at}.nodePort`, countAt(port, 'nodePort'))),
    ...repeated(ports, 'port', (port, at) =>
      duplicate(at, shownServicePort(textAt(port, 'protocol'), countAt(port, 'port'))),
    ),
  ];
}

function validatePort(port: Json, path: string, named: boolean, names: Set<string>): FieldError[] {
  const [name, protocol] = [textAt(port, 'name'), port.appProtocol];
  return [
    ...(name === '' ? (named ? [required(`${path}.name`)] : []) : validateName(name, `${path}.name`, names)),
    ...invalidEach(`${path}.port`, countAt(port, 'port'), portNumberErrors(countAt(port, 'port'))),
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

const refuseNodePorts = (ports: readonly Json[]): FieldError[] =>
  ports.flatMap((port, index) => {
    if (countAt(port, 'nodePort') === 0) return [];
    return [forbiddenField(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")];
  });

/** Ports whose number was there before, with the same protocol. */
function repeated(
  ports: readonly Json[],
  member: 'port' | 'nodePort',
  error: (port: Json, at: string) => FieldError,
): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const number = countAt(port, member);
    if (number === 0 && member === 'nodePort') return [];
    const key = `${textAt(port, 'protocol')}/${number}`;
    if (seen.has(key)) return [error(port, `spec.ports[${index}]`)];
    seen.add(key);
    return [];
  });
}
