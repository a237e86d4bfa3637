import { type ApiObject, required } from '@orch/machinery';
import { nonNegative } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { countAt } from '../values/fields.js';
import { NONE } from '../values/text.js';

export const controllerRevision: KindDeclaration = {
  validate: (object) => [
    ...(object.data === undefined || object.data === null ? [required('data', 'data is mandatory')] : []),
    ...nonNegative('revision', object.revision),
  ],
  validateUpdate: (object, old) => immutableField(object, old, 'data'),
  row: (object) => ({ Controller: controller(object), Revision: countAt(object, 'revision') }),
};

/** The owner that controls the object, as `deployment.apps/name`. */
function controller(object: ApiObject): string {
  const owner = object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  if (!owner) return NONE;
  const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}
