import { isObject, type Json, objectAt, objectsAt, textAt } from '../values/fields.js';
import { allContainers } from './containers.js';

/**
 * Takes from a pod spec the fields of features that this release has and does not turn on: a client that sends them is
 * served as if they were not there. What is stored with one of them keeps it. Mutates.
 * @param old in an update, the spec as it is stored
 */
export function dropDisabledFields(spec: unknown, old?: unknown): void {
  if (!isObject(spec)) return;
  const containers = allContainers(spec);
  const before = allContainers(old);
  if (typeof objectAt(old).hostUsers !== 'boolean') delete spec.hostUsers;
  if (objectsAt(old, 'resourceClaims').length === 0) {
    delete spec.resourceClaims;
    for (const { resources } of containers) if (isObject(resources)) delete resources.claims;
  }
  if (!objectsAt(old, 'containers').some(resizes)) for (const container of containers) delete container.resizePolicy;
  if (!before.some(unmasks)) for (const container of containers) maskProc(container);
  for (const volume of objectsAt(spec, 'volumes')) dropClaims(volume);
}

/** Of the template of a workload. */
export const dropDisabledTemplateFields = (template: unknown, old?: unknown): void =>
  dropDisabledFields(objectAt(template).spec, objectAt(old).spec);

const resizes = (container: Json): boolean => objectsAt(container, 'resizePolicy').length > 0;

const unmasks = (container: Json): boolean =>
  !['', 'Default'].includes(textAt(container, 'securityContext', 'procMount'));

/** As the field was once written into every container, it is not taken away. */
function maskProc({ securityContext: context }: Json): void {
  if (isObject(context) && typeof context.procMount === 'string') context.procMount = 'Default';
}

/** A claim for storage cannot ask for claims. */
function dropClaims(volume: Json): void {
  const resources = objectAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec').resources;
  if (isObject(resources)) delete resources.claims;
}
