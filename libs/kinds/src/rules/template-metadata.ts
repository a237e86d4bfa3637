import { type FieldError, forbiddenField, validateAnnotations, validateLabels } from '@orch/machinery';
import { type Json, mapAt } from '../values/fields.js';

/** What objects that are made from a template get themselves; as the reference writes the names in refusals. */
const NOT_IN_TEMPLATES: readonly (readonly [string, string])[] = [
  ...['name', 'generateName', 'namespace', 'selfLink'].map((name) => [name, name] as const),
  ['uid', 'uID'],
  ...['resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp'].map((name) => [name, name] as const),
  ...['deletionGracePeriodSeconds', 'ownerReferences', 'finalizers', 'managedFields'].map(
    (name) => [name, name] as const,
  ),
];

/** Metadata of claims that are made for pods: labels and annotations, and nothing else. */
export const validateTemplateMetadata = (metadata: Json, path: string): FieldError[] => [
  ...validateAnnotations(mapAt(metadata, 'annotations'), `${path}.annotations`),
  ...validateLabels(mapAt(metadata, 'labels'), `${path}.labels`),
  ...NOT_IN_TEMPLATES.filter(([name]) => isSet(metadata[name])).map(([, name]) =>
    forbiddenField(`${path}.${name}`, 'cannot be set'),
  ),
];

const isSet = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== 0;
