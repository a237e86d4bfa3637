import {
  type FieldError,
  forbiddenField,
  invalidValue,
  type Names,
  qualifiedNameErrors,
  required,
  tooLong,
} from '@orch/machinery';
import type { StorageClass } from '@orch/schema/types/storage/v1';
import { invalidEach, isOneOf } from '../rules/checks.js';
import { immutableField } from '../rules/immutable.js';
import type { KindDeclaration } from '../rules/kind-rules.js';
import { validateTopologies } from '../rules/node-selector.js';
import { equal } from '../values/equal.js';
import { keyWarnings } from '../warnings/node-labels.js';

const FORBIDDEN = ['parameters', 'provisioner', 'reclaimPolicy'] as const;
const RECLAIM_POLICIES = ['Delete', 'Retain'];
const MAX_PARAMETERS = 512;
const MAX_PARAMETER_BYTES = 256 * 1024;
const BINDING_MODES = ['Immediate', 'WaitForFirstConsumer'];

/** Rules of StorageClass. */
export const storageClass: KindDeclaration<StorageClass> = {
  validate: validateClass,
  validateUpdate: (object, old) => [
    ...FORBIDDEN.filter((name) => !equal(object[name], old[name])).map((name) =>
      forbiddenField(name, `updates to ${name} are forbidden.`),
    ),
    ...immutableField(object, old, 'volumeBindingMode'),
  ],
  warnings: topologyWarnings,
  row(object, _now, names) {
    const name = object.metadata?.name ?? '';
    const isDefault = ['storageclass.orch.io/is-default-class', 'storageclass.beta.orch.io/is-default-class'].some(
      (key) => object.metadata?.annotations?.[names.key(key)] === 'true',
    );
    return {
      Name: isDefault ? `${name} (default)` : name,
      Provisioner: object.provisioner ?? '',
      ReclaimPolicy: object.reclaimPolicy ?? '',
      VolumeBindingMode: object.volumeBindingMode ?? '',
      AllowVolumeExpansion: object.allowVolumeExpansion === true,
    };
  },
};

function validateClass(object: StorageClass): FieldError[] {
  const provisioner = object.provisioner ?? '';
  return [
    ...(provisioner === ''
      ? [required('provisioner')]
      : invalidEach('provisioner', provisioner, qualifiedNameErrors(provisioner.toLowerCase()))),
    ...validateParameters(object.parameters ?? {}),
    ...isOneOf('reclaimPolicy', object.reclaimPolicy || undefined, RECLAIM_POLICIES),
    ...isOneOf('volumeBindingMode', object.volumeBindingMode, BINDING_MODES),
    ...validateTopologies(object.allowedTopologies ?? [], 'allowedTopologies'),
  ];
}

function validateParameters(parameters: Readonly<Record<string, string>>): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) return [tooLong('parameters', MAX_PARAMETERS)];
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...(Object.hasOwn(parameters, '') ? [invalidValue('parameters', '', 'field can not be empty.')] : []),
    ...(size > MAX_PARAMETER_BYTES ? [tooLong('parameters', MAX_PARAMETER_BYTES)] : []),
  ];
}

function topologyWarnings({ allowedTopologies }: StorageClass, names: Names): string[] {
  const places = (allowedTopologies ?? []).flatMap((topology, at) =>
    (topology.matchLabelExpressions ?? []).map(
      (expression, index) =>
        [`allowedTopologies[${at}].matchLabelExpressions[${index}].key`, expression.key ?? ''] as const,
    ),
  );
  return keyWarnings(places, names);
}
