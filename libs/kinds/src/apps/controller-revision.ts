import { required } from '@orch/machinery';
import type { ControllerRevision } from '@orch/schema/types/apps/v1';
import { nonNegative } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { countOf } from '../values/fields.js';
import { NONE } from '../values/text.js';

/** Rules of ControllerRevision; the data is immutable. */
export const controllerRevision: KindDeclaration<ControllerRevision> = {
  validate: (object) => [
    ...(object.data === undefined || object.data === null ? [required('data', 'data is mandatory')] : []),
    ...nonNegative('revision', object.revision),
  ],
  validateUpdate: (object, old) => immutableField(object, old, 'data'),
  row: (object) => ({ Controller: controller(object), Revision: countOf(object.revision) }),
};

/** The owner that controls the object, as `deployment.apps/name`. */
function controller(object: ControllerRevision): string {
  const owner = object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
  if (!owner) return NONE;
  const { apiVersion = '', kind = '', name } = owner;
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  return `${kind.toLowerCase()}${group}/${name}`;
}
