import { difference, type FieldSet, pathsOf } from '../paths/field-set.js';

const METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
];

const NEVER_OWNED = pathsOf([['apiVersion'], ['kind'], ['metadata'], ...METADATA.map((name) => ['metadata', name])]);

/** Fields without those that say which object it is, or that the server sets: nobody owns them. */
export const ownable = (fields: FieldSet): FieldSet => difference(fields, NEVER_OWNED);
