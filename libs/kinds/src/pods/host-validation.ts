import { duplicate, type FieldError, forbiddenField, invalidValue } from '@orch/machinery';
import type { Container, PodSpec } from '@orch/schema/types/core/v1';

const WITHOUT_HOST_USERS = ['emptyDir', 'secret', 'downwardAPI', 'configMap', 'projected'] as const;
const NAMESPACES: readonly (readonly ['hostNetwork' | 'hostPID' | 'hostIPC', string])[] = [
  ['hostNetwork', 'hostNetwork'],
  // As the reference writes them here.
  ['hostPID', 'HostPID'],
  ['hostIPC', 'HostIPC'],
];

/** In the network of the node a container's port is the node's. */
export function validateHostNetwork(spec: PodSpec | undefined, path: string): FieldError[] {
  if (spec?.hostNetwork !== true) return [];
  return (spec?.containers ?? []).flatMap((container, index) =>
    (container.ports ?? []).flatMap((port, portIndex) => {
      if ((port.hostPort ?? 0) === (port.containerPort ?? 0)) return [];
      const field = `${path}.containers[${index}].ports[${portIndex}].containerPort`;
      const text = 'must match `hostPort` when `hostNetwork` is true';
      return [invalidValue(field, port.containerPort ?? 0, text)];
    }),
  );
}

/** Containers that run side by side cannot hold the same port of the node. */
export function validateHostPorts(containers: readonly Container[], path: string): FieldError[] {
  const taken = new Set<string>();
  const errors: FieldError[] = [];
  containers.forEach((container, index) => {
    (container.ports ?? []).forEach((port, portIndex) => {
      const number = port.hostPort ?? 0;
      if (number === 0) return;
      const text = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${number}`;
      if (taken.has(text)) errors.push(duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, text));
      taken.add(text);
    });
  });
  return errors;
}

/** A pod with users of its own has nothing that belongs to the users of the node. */
export function validateHostUsers(spec: PodSpec | undefined, path: string): FieldError[] {
  if (spec?.hostUsers !== false) return [];
  const text = 'when `pod.Spec.HostUsers` is false';
  return [
    ...(spec?.volumes ?? []).flatMap((volume, index) =>
      WITHOUT_HOST_USERS.some((source) => volume[source])
        ? []
        : [forbiddenField(`${path}.volumes[${index}]`, `volume type not supported ${text}`)],
    ),
    ...NAMESPACES.filter(([name]) => spec?.[name] === true).map(([, member]) =>
      forbiddenField(`${path}.${member}`, text),
    ),
  ];
}
