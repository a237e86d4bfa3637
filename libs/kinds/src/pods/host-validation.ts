import { duplicate, type FieldError, forbiddenField, invalidValue } from '@orch/machinery';
import { at, countAt, isObject, type Json, objectsAt, textAt } from '../values/fields.js';

const WITHOUT_HOST_USERS = ['emptyDir', 'secret', 'downwardAPI', 'configMap', 'projected'];
const NAMESPACES: readonly (readonly [string, string])[] = [
  ['hostNetwork', 'hostNetwork'],
  // As the reference writes them here.
  ['hostPID', 'HostPID'],
  ['hostIPC', 'HostIPC'],
];

/** In the network of the node a container's port is the node's. */
export function validateHostNetwork(spec: unknown, path: string): FieldError[] {
  if (at(spec, 'hostNetwork') !== true) return [];
  return objectsAt(spec, 'containers').flatMap((container, index) =>
    objectsAt(container, 'ports').flatMap((port, portIndex) => {
      if (countAt(port, 'hostPort') === countAt(port, 'containerPort')) return [];
      const field = `${path}.containers[${index}].ports[${portIndex}].containerPort`;
      const text = 'must match `hostPort` when `hostNetwork` is true';
      return [invalidValue(field, countAt(port, 'containerPort'), text)];
    }),
  );
}

/** Containers that run side by side cannot hold the same port of the node. */
export function validateHostPorts(containers: readonly Json[], path: string): FieldError[] {
  const taken = new Set<string>();
  const errors: FieldError[] = [];
  containers.forEach((container, index) => {
    objectsAt(container, 'ports').forEach((port, portIndex) => {
      const number = countAt(port, 'hostPort');
      if (number === 0) return;
      const text = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${number}`;
      if (taken.has(text)) errors.push(duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, text));
      taken.add(text);
    });
  });
  return errors;
}

/** A pod with users of its own has nothing that belongs to the users of the node. */
export function validateHostUsers(spec: unknown, path: string): FieldError[] {
  if (at(spec, 'hostUsers') !== false) return [];
  const text = 'when `pod.Spec.HostUsers` is false';
  return [
    ...objectsAt(spec, 'volumes').flatMap((volume, index) =>
      WITHOUT_HOST_USERS.some((source) => isObject(volume[source]))
        ? []
        : [forbiddenField(`${path}.volumes[${index}]`, `volume type not supported ${text}`)],
    ),
    ...NAMESPACES.filter(([name]) => at(spec, name) === true).map(([, told]) =>
      forbiddenField(`${path}.${told}`, text),
    ),
  ];
}
