import {
  type ApiObject,
  type FieldError,
  forbiddenField,
  invalidValue,
  qualifiedNameErrors,
  required,
} from '@orch/machinery';
import { invalidEach, isOneOf } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { equal } from '../values/equal.js';
import { mapAt, textAt } from '../values/fields.js';

const FORBIDDEN = ['parameters', 'provisioner', 'reclaimPolicy'];
const RECLAIM_POLICIES = ['Delete', 'Retain'];
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

export const storageClass: KindDeclaration = {
  validate: validateClass,
  validateUpdate: (object, old) => [
    ...FORBIDDEN.filter((name) => !equal(object[name], old[name])).map((name) =>
      forbiddenField(name, `updates to ${name} are forbidden.`),
    ),
    ...immutableField(object, old, 'volumeBindingMode'),
  ],
  row(object, _now, names) {
    const name = object.metadata?.name ?? '';
    const isDefault = ['storageclass.orch.io/is-default-class', 'storageclass.beta.orch.io/is-default-class'].some(
      (key) => object.metadata?.annotations?.[names.key(key)] === 'true',
    );
    return {
      Name: isDefault ? `${name} (default)` : name,
      Provisioner: textAt(object, 'provisioner'),
      ReclaimPolicy: textAt(object, 'reclaimPolicy'),
      VolumeBindingMode: textAt(object, 'volumeBindingMode'),
      AllowVolumeExpansion: object.allowVolumeExpansion === true,
    };
  },
};

function validateClass(object: ApiObject): FieldError[] {
  const provisioner = textAt(object, 'provisioner');
  return [
    ...(provisioner === ''
      ? [required('provisioner')]
      : invalidEach('provisioner', provisioner, qualifiedNameErrors(provisioner.toLowerCase()))),
    ...(Object.hasOwn(mapAt(object, 'parameters'), '')
      ? [invalidValue('parameters', '', 'field can not be empty.')]
      : []),
    ...isOneOf('reclaimPolicy', object.reclaimPolicy || undefined, RECLAIM_POLICIES),
    ...isOneOf('volumeBindingMode', object.volumeBindingMode, BINDING_MODES),
  ];
}
