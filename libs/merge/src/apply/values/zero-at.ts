import type { JsonValue } from '@orch/machinery';
import type { Type } from '../types/type.js';
import { typeOfField } from './everything.js';

/**
 * What a client with declared types writes at a place where the field is not set; undefined where it writes nothing. Shared.
 * @param keys the way to the place: names of members, and anything for the items of lists
 */
export function zeroAt(type: Type, keys: readonly string[]): JsonValue | undefined {
  let [at, zero]: [Type, JsonValue | undefined] = [type, undefined];
  for (const key of keys) {
    const field = at.map?.fields.get(key);
    zero = field?.zero;
    const below: Type | undefined = at.map ? typeOfField(at.map, field) : at.list?.items;
    if (below === undefined) return undefined;
    at = below;
  }
  return zero;
}
