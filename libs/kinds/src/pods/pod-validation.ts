import { type FieldError, required } from '@orch/machinery';
import { objectsAt, textAt } from '../rules/fields.js';

/** What a pod cannot be without: containers, and of each its name and image. `path` is that of the pod spec. */
export function validateContainers(podSpec: unknown, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (objectsAt(podSpec, 'containers').length === 0) errors.push(required(`${path}.containers`));
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const [index, container] of objectsAt(podSpec, list).entries()) {
      const at = `${path}.${list}[${index}]`;
      if (textAt(container, 'name') === '') errors.push(required(`${at}.name`));
      if (textAt(container, 'image') === '') errors.push(required(`${at}.image`));
    }
  }
  return errors;
}
