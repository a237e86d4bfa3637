import type { Names } from '@orch/machinery';
import type { FeatureName, Features } from '@orch/schema';
import { isObject, type Json } from '../values/fields.js';

/**
 * Fields of a feature. With the feature off, they are dropped from what clients send; a stored object that has one
 * keeps it.
 */
export interface GatedFields<T extends object = Json> {
  /** Unset: no feature of this release brings them. */
  readonly feature?: FeatureName;
  /** Whether an object as it is stored uses them. Absent: that does not count. */
  inUse?(stored: T, names: Names): boolean;
  /** Takes them away, or out of effect. Mutates. */
  drop(object: T, names: Names): void;
}

/** Takes the fields of features that are off from an object that is to be written; `old` in an update. Mutates. */
export type DropDisabled<T extends object> = (object: T, old?: T) => void;

/** Prepares the dropping of such fields, once for a kind, as features do not change. */
export function dropDisabled<T extends object>(
  fields: readonly GatedFields<T>[],
  features: Features,
  names: Names,
): DropDisabled<T> {
  const disabled = fields.filter(({ feature }) => feature === undefined || !features.enabled(feature));
  return (object, old) => {
    for (const each of disabled) {
      const kept = old !== undefined && each.inUse?.(old, names) === true;
      if (!kept) each.drop(object, names);
    }
  };
}

/** A gated member; `path` leads to it through members and, where a name ends in `[]`, the items of a list. */
export function gatedMember(feature: FeatureName, path: string): GatedFields<object> {
  const steps = path.split('.');
  const name = steps.pop() ?? '';
  return {
    feature,
    inUse: (stored) => holders(stored, steps).some((holder) => isUsed(holder[name])),
    drop: (object) => {
      for (const holder of holders(object, steps)) delete holder[name];
    },
  };
}

/** The same fields in a part of the object. */
export const gatedWithin = <T extends object, P extends object>(
  partOf: (object: T) => P | undefined,
  fields: readonly GatedFields<P>[],
): readonly GatedFields<T>[] =>
  fields.map(({ feature, inUse, drop }) => ({
    ...(feature !== undefined && { feature }),
    ...(inUse && {
      inUse(stored: T, names: Names) {
        const part = partOf(stored);
        return part !== undefined && inUse(part, names);
      },
    }),
    drop(object, names) {
      const part = partOf(object);
      if (part) drop(part, names);
    },
  }));

/** An empty list is none. */
const isUsed = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

function holders(value: unknown, steps: readonly string[]): Json[] {
  let here = isObject(value) ? [value] : [];
  for (const step of steps) {
    const name = step.replace(/\[\]$/, '');
    here = here.flatMap((each) => [each[name]].flat().filter(isObject));
  }
  return here;
}
