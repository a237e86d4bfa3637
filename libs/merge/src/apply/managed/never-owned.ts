import { differenceInSteps } from '../paths/algebra-in-steps.js';
import type { FieldSet } from '../paths/field-set.js';
import { Remembered } from '../paths/remembered.js';
import { difference, pathsOf } from '../paths/set-algebra.js';
import type { Steps } from '../steps.js';

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

/** Removes fields that are never owned: those that identify the object, and those that the server sets. */
export function* ownable(fields: FieldSet): Steps<FieldSet> {
  return without.known(fields, NEVER_OWNED) ?? (yield* without.made(fields, NEVER_OWNED));
}

const without = new Remembered(difference, differenceInSteps);
