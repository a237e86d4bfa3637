import { isRawObject, keyOfRaw, type Raw } from '../schema-types/native.js';
import type { SchemaProps } from '../schema-types/structural-schema.js';

/** Whether values of a map before and after an update can be correlated. */
export const isCorrelatable = (schema: SchemaProps): boolean =>
  ['granular', 'atomic', undefined].includes(schema['x-kubernetes-map-type']);

/** Ends steps of long work with many parts. */
interface StepEnds {
  /** Whether it is time for other work. */
  readonly isStepOver: boolean;
  /** Ends a step; the next begins after other work. */
  pause(): Iterable<void>;
}

/** Returns a function that finds an item's old counterpart; it finds none if the schema declares no keys. */
export function* oldItems(schema: SchemaProps, items: Raw, ends: StepEnds): Generator<void, (item: Raw) => Raw> {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0 || !Array.isArray(items)) return () => undefined;
  const known = new Map<string, Raw>();
  for (const item of items) {
    if (ends.isStepOver) yield* ends.pause();
    const key = keyOf(item, keys);
    if (key !== undefined && !known.has(key)) known.set(key, item);
  }
  return (item) => {
    const key = keyOf(item, keys);
    return key === undefined ? undefined : known.get(key);
  };
}

function keyOf(item: Raw, keys: readonly string[]): string | undefined {
  if (!isRawObject(item)) return undefined;
  const parts: string[] = [];
  for (const key of keys) {
    const value = keyOfRaw(item[key]);
    if (!['boolean', 'number', 'bigint', 'string'].includes(typeof value)) return undefined;
    parts.push(`${typeof value}:${String(value)}`);
  }
  return JSON.stringify(parts);
}
