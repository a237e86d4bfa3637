import { fill, fillZero, isObject, type Json, objectsAt, textAt } from '../values/fields.js';
import { imagePullPolicy } from './image-pull-policy.js';

/** Conditional defaults of a pod spec, in pods and in templates alike. Mutates. */
export function defaultPodSpec(spec: Json): void {
  const containers = [...objectsAt(spec, 'initContainers'), ...objectsAt(spec, 'containers')];
  for (const container of containers) defaultContainer(container, spec.hostNetwork === true);
  for (const container of objectsAt(spec, 'ephemeralContainers')) defaultContainer(container, false);
  for (const volume of objectsAt(spec, 'volumes')) defaultVolume(volume);
  unifyServiceAccount(spec);
}

/** Conditional defaults of the template at `spec.template`. Mutates. */
export function defaultTemplate(workloadSpec: Json): void {
  const template = workloadSpec.template;
  const spec = isObject(template) ? template.spec : undefined;
  if (isObject(spec)) defaultPodSpec(spec);
}

function defaultContainer(container: Json, hostNetwork: boolean): void {
  fillZero(container, 'imagePullPolicy', imagePullPolicy(textAt(container, 'image')));
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = container[name];
    if (isObject(probe)) defaultProbe(probe);
  }
  if (!hostNetwork) return;
  for (const port of objectsAt(container, 'ports')) fillZero(port, 'hostPort', port.containerPort);
}

function defaultProbe(probe: Json): void {
  fillZero(probe, 'timeoutSeconds', 1);
  fillZero(probe, 'periodSeconds', 10);
  fillZero(probe, 'successThreshold', 1);
  fillZero(probe, 'failureThreshold', 3);
  if (isObject(probe.grpc)) fill(probe.grpc, 'service', '');
}

/** A volume that names no source is an empty directory. */
function defaultVolume(volume: Json): void {
  const sources = Object.keys(volume).filter((name) => name !== 'name' && isObject(volume[name]));
  if (sources.length === 0) volume.emptyDir = {};
  if (isObject(volume.hostPath)) fill(volume.hostPath, 'type', '');
}

/** The account's name has an older field beside it; both always say the same. */
function unifyServiceAccount(spec: Json): void {
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (account === '') return;
  spec.serviceAccountName = account;
  spec.serviceAccount = account;
}
