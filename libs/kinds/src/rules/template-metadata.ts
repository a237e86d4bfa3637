import { type FieldError, forbiddenField, validateAnnotations, validateLabels } from '@orch/machinery';
import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from '@orch/schema/types/meta/v1';
import type { NameOf } from '../values/fields.js';

/** Members that objects made from a template get themselves, with their names in refusals. */
const NOT_IN_TEMPLATES: readonly (readonly [NameOf<ObjectMeta>, string])[] = [
  ...(['name', 'generateName', 'namespace', 'selfLink'] as const).map((name) => [name, name] as const),
  ['uid', 'uID'],
  ...(
    [
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
      'ownerReferences',
      'finalizers',
      'managedFields',
    ] as const
  ).map((name) => [name, name] as const),
];

/** Metadata of claims that are made for pods: labels and annotations, and nothing else. */
export const validateTemplateMetadata = (metadata: ObjectMeta | undefined, path: string): FieldError[] => [
  ...validateAnnotations(metadata?.annotations ?? {}, `${path}.annotations`),
  ...validateLabels(metadata?.labels ?? {}, `${path}.labels`),
  ...NOT_IN_TEMPLATES.filter(([name]) => isSet(metadata?.[name])).map(([, name]) =>
    forbiddenField(`${path}.${name}`, 'cannot be set'),
  ),
];

const isSet = (
  value:
    | string
    | number
    | bigint
    | readonly string[]
    | Readonly<Record<string, string>>
    | readonly OwnerReference[]
    | readonly ManagedFieldsEntry[]
    | undefined,
): boolean => value !== undefined && value !== null && value !== '' && value !== 0;
