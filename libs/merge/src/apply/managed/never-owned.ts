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
export function ownable(fields: FieldSet): FieldSet {
  let left = known.get(fields);
  if (left === undefined) {
    left = difference(fields, NEVER_OWNED);
    known.set(fields, left);
  }
  return left;
}

/** Objects of one shape have one set. */
const known = new WeakMap<FieldSet, FieldSet>();
