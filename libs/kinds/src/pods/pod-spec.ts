import type { PodSpec, PodTemplateSpec, Probe, Volume } from '@orch/schema/types/core/v1';
import { fill, fillZero, isObject, type Json } from '../values/fields.js';
import type { AnyContainer } from './containers.js';
import { imagePullPolicy } from './image-pull-policy.js';

/** Conditional defaults of a pod spec, in pods and in templates alike. Mutates. */
export function defaultPodSpec(spec: PodSpec): void {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  for (const container of containers) defaultContainer(container, spec.hostNetwork === true);
  for (const container of spec.ephemeralContainers ?? []) defaultContainer(container, false);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  unifyServiceAccount(spec);
}

/** Conditional defaults of the template at `spec.template`. Mutates. */
export function defaultTemplate({ template }: { readonly template?: PodTemplateSpec }): void {
  if (template?.spec) defaultPodSpec(template.spec);
}

function defaultContainer(container: AnyContainer, hostNetwork: boolean): void {
  fillZero(container, 'imagePullPolicy', imagePullPolicy(container.image ?? ''));
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const probe = container[name];
    if (probe) defaultProbe(probe);
  }
  if (!hostNetwork) return;
  for (const port of container.ports ?? []) fillZero(port, 'hostPort', port.containerPort);
}

function defaultProbe(probe: Probe): void {
  fillZero(probe, 'timeoutSeconds', 1);
  fillZero(probe, 'periodSeconds', 10);
  fillZero(probe, 'successThreshold', 1);
  fillZero(probe, 'failureThreshold', 3);
  if (probe.grpc) fill(probe.grpc, 'service', '');
}

/** A volume that names no source is an empty directory. */
function defaultVolume(volume: Volume): void {
  const sources = Object.keys(volume).filter((name) => name !== 'name' && isObject((volume as Json)[name]));
  if (sources.length === 0) volume.emptyDir = {};
  if (volume.hostPath) fill(volume.hostPath, 'type', '');
}

/** Makes the two fields of the service account's name equal. */
function unifyServiceAccount(spec: PodSpec): void {
  const account = spec.serviceAccountName || (spec.serviceAccount ?? '');
  if (account === '') return;
  spec.serviceAccountName = account;
  spec.serviceAccount = account;
}
